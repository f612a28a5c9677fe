// Compares models with the classes of the JDK that they stand for.
//
// The models are copies in packages that begin with models instead of java. Static methods are
// called with random arguments, objects get random sequences of calls; results, exceptions and
// what is in arrays afterwards must be the same. Strings and boxes are not compared,
// nor is sorting by comparisons that fail: it may leave any order. Where two exceptions could be
// thrown, versions of the JDK differ: null is not copied to negative lengths.
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import tepui.Intrinsics;

public final class Compare {
    private static final Random RANDOM = new Random(1);
    private static final Object[] OBJECTS = {"a", "b", "c", null};
    private static final Class<?>[] ELEMENTS = {
        int.class, long.class, byte.class, boolean.class, Object.class
    };
    private static final TreeMap<String, Integer> CALLS = new TreeMap<>();
    private static final List<String> NOT_CALLED =
            List.of("toString", "currentTimeMillis", "nanoTime", "newCondition");

    public static void main(String[] names) throws Exception {
        for (String name : names) {
            String[] parts = name.split("=", 2);
            Class<?> model = Class.forName("models." + parts[0]);
            Class<?> real = Class.forName("java." + parts[0]);
            if (parts.length == 1) {
                compareStatic(model, real);
            } else {
                compareObjects(model, real, parts[1]);
            }
        }
        ranges();
        caches();
        for (int round = 0; round < 200; round++) {
            readersAndWriters(round % 2 == 0);
        }
        System.out.println(CALLS);
    }

    private static void compareStatic(Class<?> model, Class<?> real) throws Exception {
        for (Method method : model.getDeclaredMethods()) {
            Method other = counterpart(method, real);
            if (!Modifier.isStatic(method.getModifiers()) || other == null) {
                continue;
            }
            for (int round = 0; round < 300; round++) {
                compareCall(method, other, null, null);
            }
        }
    }

    private static void compareObjects(Class<?> model, Class<?> real, String arguments)
            throws Exception {
        Constructor<?> making = constructor(model, arguments);
        Constructor<?> reallyMaking = constructor(real, arguments);
        for (int round = 0; round < 60; round++) {
            Object[] with = arguments.isEmpty() ? new Object[0] : someArguments(making);
            Object one = making.newInstance(with);
            Object two = reallyMaking.newInstance(with);
            List<Method> methods = new ArrayList<>();
            for (Method method : model.getDeclaredMethods()) {
                if (!Modifier.isStatic(method.getModifiers())
                        && counterpart(method, real) != null) {
                    methods.add(method);
                }
            }
            methods.sort(Comparator.comparing(Method::toString));
            for (int step = 0; step < 60; step++) {
                Method method = methods.get(RANDOM.nextInt(methods.size()));
                compareCall(method, counterpart(method, real), one, two);
            }
        }
    }

    /** Constructors are told apart by the names of their parameters' types. */
    private static Constructor<?> constructor(Class<?> owner, String arguments) {
        for (Constructor<?> constructor : owner.getConstructors()) {
            StringBuilder names = new StringBuilder();
            for (Class<?> type : constructor.getParameterTypes()) {
                names.append(names.length() == 0 ? "" : ",").append(type.getSimpleName());
            }
            if (names.toString().equals(arguments)) {
                return constructor;
            }
        }
        throw new AssertionError(owner + " has no constructor of " + arguments);
    }

    private static Object[] someArguments(Constructor<?> constructor) {
        Class<?>[] types = constructor.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            boolean alone = constructor.getName().endsWith("CyclicBarrier");
            int number = alone ? 1 : 1 + RANDOM.nextInt(3);
            arguments[i] = types[i] == int.class ? (Object) number : some(types[i]);
        }
        return arguments;
    }

    private static Method counterpart(Method method, Class<?> real) {
        if (!Modifier.isPublic(method.getModifiers())
                || Modifier.isNative(method.getModifiers())
                || method.isSynthetic()
                || NOT_CALLED.contains(method.getName())
                || method.toString().contains(".sort(java.lang.Object")) {
            return null;
        }
        for (Class<?> type : method.getParameterTypes()) {
            if (!canMake(type)) {
                return null;
            }
        }
        try {
            return real.getMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException exception) {
            return null;
        }
    }

    private static void compareCall(Method method, Method other, Object one, Object two)
            throws Exception {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        Object[] copies = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = some(types[i]);
            if (types[i] == int.class && method.getName().startsWith("copyOf")) {
                arguments[i] = arguments[0] == null ? 1 : RANDOM.nextInt(12) - 2;
            } else if (types[i] == Object.class && method.getName().equals("arraycopy")) {
                arguments[i] = someArray(ELEMENTS[RANDOM.nextInt(ELEMENTS.length)]);
            }
            boolean same = i > 0 && types[i] == Object.class && isArray(arguments[0]);
            if (same && RANDOM.nextInt(3) > 0) {
                arguments[i] = RANDOM.nextBoolean() ? arguments[0] : copy(arguments[0]);
            }
            copies[i] = same && arguments[i] == arguments[0] ? copies[0] : copy(arguments[i]);
        }
        String call = method + " " + describe(arguments);
        Object result;
        try {
            result = call(method, one, arguments);
        } catch (Intrinsics.Blocked | Intrinsics.Limit notKnown) {
            return;
        }
        Object expected = call(other, two, copies);
        Intrinsics.checkBalance();
        CALLS.merge(method.getDeclaringClass().getSimpleName(), 1, Integer::sum);
        Class<?> type = method.getReturnType();
        if (type != String.class && !type.getName().startsWith("models.")) {
            check(call, describe(result), describe(expected));
        }
        check(call + ": arguments", describe(arguments), describe(copies));
    }

    private static Object call(Method method, Object receiver, Object[] arguments)
            throws Exception {
        try {
            method.setAccessible(true);
            Object result = method.invoke(receiver, arguments);
            return result != null && result == receiver ? "itself" : result;
        } catch (InvocationTargetException exception) {
            Throwable cause = exception.getCause();
            if (cause instanceof Intrinsics.Blocked || cause instanceof Intrinsics.Limit) {
                throw (Error) cause;
            }
            return cause.getClass().getName();
        }
    }

    private static boolean canMake(Class<?> type) {
        return type.isArray() ? canMake(type.getComponentType()) : type.isPrimitive()
                || type == Object.class
                || type == Comparator.class
                || type.getPackageName().equals("java.util.function");
    }

    private static Object some(Class<?> type) {
        if (type.isArray()) {
            return someArray(type.getComponentType());
        }
        if (type == boolean.class) {
            return RANDOM.nextBoolean();
        }
        if (type == char.class) {
            return (char) (RANDOM.nextBoolean() ? RANDOM.nextInt(128) : RANDOM.nextInt());
        }
        if (type == float.class) {
            return (float) RANDOM.nextInt(9);
        }
        if (type == double.class) {
            return (double) RANDOM.nextInt(9);
        }
        if (type.isPrimitive()) {
            return narrowed(someLong(type), type);
        }
        if (type == IntUnaryOperator.class) {
            return (IntUnaryOperator) x -> 3 * x + 1;
        }
        if (type == LongUnaryOperator.class) {
            return (LongUnaryOperator) x -> 3 * x + 1;
        }
        if (type == IntBinaryOperator.class) {
            return (IntBinaryOperator) (x, y) -> x - 2 * y;
        }
        if (type == LongBinaryOperator.class) {
            return (LongBinaryOperator) (x, y) -> x - 2 * y;
        }
        if (type == UnaryOperator.class) {
            return (UnaryOperator<Object>) x -> x == "a" ? "b" : "a";
        }
        if (type == BinaryOperator.class) {
            return (BinaryOperator<Object>) (x, y) -> x == null ? y : x;
        }
        if (type == Function.class) {
            return (Function<Object, Object>) x -> x == "a" ? null : "b";
        }
        if (type == BiFunction.class) {
            return (BiFunction<Object, Object, Object>) (x, y) -> y == "a" ? null : x;
        }
        return type == Object.class ? OBJECTS[RANDOM.nextInt(OBJECTS.length)] : null;
    }

    private static long someLong(Class<?> type) {
        long highest = type == long.class ? Long.MAX_VALUE : Integer.MAX_VALUE;
        switch (RANDOM.nextInt(6)) {
            case 0:
                return highest - RANDOM.nextInt(3);
            case 1:
                return -highest - 1 + RANDOM.nextInt(3);
            case 2:
                return RANDOM.nextLong();
            default:
                return RANDOM.nextInt(9) - 2;
        }
    }

    private static Object narrowed(long value, Class<?> type) {
        if (type == int.class) {
            return (int) value;
        }
        if (type == short.class) {
            return (short) value;
        }
        return type == byte.class ? (Object) (byte) value : (Object) value;
    }

    private static Object someArray(Class<?> element) {
        if (RANDOM.nextInt(20) == 0) {
            return null;
        }
        boolean narrow = element == Object.class && RANDOM.nextBoolean();
        Object array = Array.newInstance(narrow ? String.class : element, RANDOM.nextInt(6));
        for (int i = 0; i < Array.getLength(array); i++) {
            Object value = OBJECTS[RANDOM.nextInt(OBJECTS.length)];
            Array.set(array, i, element == Object.class ? value : some(element));
        }
        return array;
    }

    private static boolean isArray(Object o) {
        return o != null && o.getClass().isArray();
    }

    private static Object copy(Object o) {
        if (!isArray(o)) {
            return o;
        }
        int length = Array.getLength(o);
        Object copy = Array.newInstance(o.getClass().getComponentType(), length);
        System.arraycopy(o, 0, copy, 0, length);
        return copy;
    }

    private static String describe(Object o) {
        String text = Arrays.deepToString(new Object[] {o});
        return isArray(o) ? o.getClass().getSimpleName() + text : text;
    }

    private static void check(String what, Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new AssertionError(what + ": " + found + " instead of " + expected);
        }
    }

    /** One thread that never has to wait: it does not ask for more than it can get. */
    private static void readersAndWriters(boolean fair) {
        models.util.concurrent.locks.ReentrantReadWriteLock model =
                new models.util.concurrent.locks.ReentrantReadWriteLock(fair);
        ReentrantReadWriteLock real = new ReentrantReadWriteLock(fair);
        for (int step = 0; step < 50; step++) {
            boolean writing = RANDOM.nextBoolean();
            Lock one = writing ? model.writeLock() : model.readLock();
            Lock two = writing ? real.writeLock() : real.readLock();
            String result = "";
            String expected = "";
            if (RANDOM.nextBoolean()) {
                result += unlock(one);
                expected += unlock(two);
            } else {
                boolean taken = two.tryLock();
                expected += taken;
                if (taken && RANDOM.nextBoolean()) {
                    one.lock();
                    result += true;
                } else {
                    result += one.tryLock();
                }
            }
            result += model.getReadLockCount() + " " + model.getReadHoldCount() + " "
                    + model.getWriteHoldCount() + " " + model.isWriteLocked();
            expected += real.getReadLockCount() + " " + real.getReadHoldCount() + " "
                    + real.getWriteHoldCount() + " " + real.isWriteLocked();
            check("ReentrantReadWriteLock", result, expected);
            Intrinsics.checkBalance();
        }
    }

    private static String unlock(Lock lock) {
        try {
            lock.unlock();
            return "unlocked";
        } catch (IllegalMonitorStateException exception) {
            return "not held";
        }
    }

    private static void ranges() {
        models.util.Random random = new models.util.Random(3);
        for (int i = 0; i < 1000; i++) {
            int bound = 1 + RANDOM.nextInt(5);
            int value = random.nextInt(bound);
            check("nextInt(" + bound + ")", 0 <= value && value < bound, true);
            int other = random.nextInt(-bound, bound);
            check("nextInt(-bound, bound)", -bound <= other && other < bound, true);
        }
        for (int bound : new int[] {0, -1}) {
            try {
                random.nextInt(bound);
                throw new AssertionError("nextInt(" + bound + ") returns");
            } catch (IllegalArgumentException expected) {
                Intrinsics.checkBalance();
            }
        }
    }

    private static void caches() {
        for (int i = 0; i < 2000; i++) {
            int value = RANDOM.nextInt(300) - 150;
            boolean cached = value >= -128 && value <= 127;
            check("Integer.valueOf",
                    models.lang.Integer.valueOf(value) == models.lang.Integer.valueOf(value),
                    cached);
            check("Long.valueOf",
                    models.lang.Long.valueOf(value) == models.lang.Long.valueOf(value), cached);
            check("intValue", models.lang.Integer.valueOf(value).intValue(), value);
            check("equals",
                    models.lang.Integer.valueOf(value)
                            .equals(new models.lang.Integer(value)), true);
            byte small = (byte) value;
            check("Byte.valueOf",
                    models.lang.Byte.valueOf(small) == models.lang.Byte.valueOf(small), true);
            char letter = (char) RANDOM.nextInt(200);
            check("Character.valueOf",
                    models.lang.Character.valueOf(letter)
                            == models.lang.Character.valueOf(letter), letter <= 127);
        }
    }
}
