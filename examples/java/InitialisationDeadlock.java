// Two classes whose initialisers need each other, used by two threads at once.
//
// Expected: unsafe (deadlock)
//
// A thread that uses a class initialises it, and other threads wait until that is done. Each thread
// has begun with one of the classes, and waits for the other.

class InitialisationDeadlock {
    static class Left {
        static final Object HALF = new Object();
        static final Object OTHER = Right.HALF;
    }

    static class Right {
        static final Object HALF = new Object();
        static final Object OTHER = Left.HALF;
    }

    public static void main(String[] args) {
        new Thread(() -> use(Right.OTHER)).start();
        use(Left.OTHER);
    }

    static void use(Object any) {
    }
}
