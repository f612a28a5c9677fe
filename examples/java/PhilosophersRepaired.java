// Three dining philosophers, one of whom takes the fork on the right first.
//
// Expected: safe
//
// The forks have an order, and all take the smaller one first. So whoever has the largest fork of
// those that are taken needs no other one that is taken.

class PhilosophersRepaired {
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
        new Philosopher(one, three).start();
    }
}
