// Mathematics of integers; what works on floating point numbers is left to the translator.
package java.lang;

public final class StrictMath {
    private StrictMath() {}

    public static int abs(int a) {
        return a < 0 ? -a : a;
    }

    public static long abs(long a) {
        return a < 0 ? -a : a;
    }

    public static int max(int a, int b) {
        return a >= b ? a : b;
    }

    public static long max(long a, long b) {
        return a >= b ? a : b;
    }

    public static int min(int a, int b) {
        return a <= b ? a : b;
    }

    public static long min(long a, long b) {
        return a <= b ? a : b;
    }

    public static int addExact(int a, int b) {
        int result = a + b;
        if (b >= 0 ? result < a : result > a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static long addExact(long a, long b) {
        long result = a + b;
        if (b >= 0 ? result < a : result > a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static int subtractExact(int a, int b) {
        int result = a - b;
        if (b >= 0 ? result > a : result < a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static long subtractExact(long a, long b) {
        long result = a - b;
        if (b >= 0 ? result > a : result < a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static int multiplyExact(int a, int b) {
        long result = (long) a * b;
        if ((int) result != result) {
            throw new ArithmeticException();
        }
        return (int) result;
    }

    public static long multiplyExact(long a, int b) {
        return multiplyExact(a, (long) b);
    }

    public static long multiplyExact(long a, long b) {
        long result = a * b;
        if (a != 0 && (result / a != b || a == -1 && b == Long.MIN_VALUE)) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static long multiplyFull(int a, int b) {
        return (long) a * b;
    }

    public static int toIntExact(long a) {
        if ((int) a != a) {
            throw new ArithmeticException();
        }
        return (int) a;
    }

    public static int incrementExact(int a) {
        int result = a + 1;
        if (result < a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static long incrementExact(long a) {
        long result = a + 1;
        if (result < a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static int decrementExact(int a) {
        int result = a - 1;
        if (result > a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static long decrementExact(long a) {
        long result = a - 1;
        if (result > a) {
            throw new ArithmeticException();
        }
        return result;
    }

    public static int negateExact(int a) {
        if (a < 0 && -a < 0) {
            throw new ArithmeticException();
        }
        return -a;
    }

    public static long negateExact(long a) {
        if (a < 0 && -a < 0) {
            throw new ArithmeticException();
        }
        return -a;
    }

    public static int absExact(int a) {
        if (a < 0 && -a < 0) {
            throw new ArithmeticException();
        }
        return a < 0 ? -a : a;
    }

    public static long absExact(long a) {
        if (a < 0 && -a < 0) {
            throw new ArithmeticException();
        }
        return a < 0 ? -a : a;
    }

    public static int floorDiv(int a, int b) {
        int quotient = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }

    public static long floorDiv(long a, long b) {
        long quotient = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }

    public static long floorDiv(long a, int b) {
        long quotient = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }

    public static int floorMod(int a, int b) {
        int rest = a % b;
        return rest != 0 && (a < 0) != (b < 0) ? rest + b : rest;
    }

    public static long floorMod(long a, long b) {
        long rest = a % b;
        return rest != 0 && (a < 0) != (b < 0) ? rest + b : rest;
    }

    public static int floorMod(long a, int b) {
        long rest = a % b;
        return (int) (rest != 0 && (a < 0) != (b < 0) ? rest + b : rest);
    }

    public static int clamp(long value, int low, int high) {
        if (low > high) {
            throw new IllegalArgumentException();
        }
        return (int) (value < low ? low : value > high ? high : value);
    }

    public static long clamp(long value, long low, long high) {
        if (low > high) {
            throw new IllegalArgumentException();
        }
        return value < low ? low : value > high ? high : value;
    }

    public static native double random();

    public static native float abs(float a);

    public static native double abs(double a);

    public static native float max(float a, float b);

    public static native double max(double a, double b);

    public static native float min(float a, float b);

    public static native double min(double a, double b);

    public static native double sqrt(double a);

    public static native double pow(double a, double b);

    public static native double floor(double a);

    public static native double ceil(double a);

    public static native double exp(double a);

    public static native double log(double a);

    public static native double sin(double a);

    public static native double cos(double a);

    public static native int round(float a);

    public static native long round(double a);
}
