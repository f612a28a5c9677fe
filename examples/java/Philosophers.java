// Three dining philosophers, each of whom takes the fork on the left first.
//
// Expected: unsafe (deadlock)
//
// If each has taken one fork, each waits for the next one. PhilosophersRepaired.java is the repair.

class Philosophers {
    static class Fork {
    }

    static class Philosopher extends Thread {
        private final Fork first;
        private final Fork second;

        Philosopher(Fork first, Fork second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public void run() {
            synchronized (first) {
                synchronized (second) {
                    Thread.yield(); // eat
                }
            }
        }
    }

    public static void main(String[] args) {
        Fork one = new Fork();
        Fork two = new Fork();
        Fork three = new Fork();
        new Philosopher(one, two).start();
        new Philosopher(two, three).start();
        new Philosopher(three, one).start();
    }
}
