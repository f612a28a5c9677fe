// A buffer for one item, with two producers and two consumers, that wakes up one thread only.
//
// Expected: unsafe (deadlock)
//
// Producers and consumers wait for the same monitor, and `notify` wakes up any one of them. If a
// consumer has taken the item and wakes up the other consumer, that one finds nothing, waits again,
// and the producer that could go on sleeps for ever. BufferNotifyAll.java is the repair.

class BufferNotifyOne {
    private Object item;

    synchronized void put(Object wanted) throws InterruptedException {
        while (item != null) {
            wait();
        }
        item = wanted;
        notify();
    }

    synchronized Object take() throws InterruptedException {
        while (item == null) {
            wait();
        }
        Object taken = item;
        item = null;
        notify();
        return taken;
    }

    static class Producer extends Thread {
        private final BufferNotifyOne buffer;

        Producer(BufferNotifyOne buffer) {
            this.buffer = buffer;
        }

        @Override
        public void run() {
            try {
                buffer.put(this);
            } catch (InterruptedException nobodyDoesThat) {
                assert false;
            }
        }
    }

    static class Consumer extends Thread {
        private final BufferNotifyOne buffer;

        Consumer(BufferNotifyOne buffer) {
            this.buffer = buffer;
        }

        @Override
        public void run() {
            try {
                assert buffer.take() != null;
            } catch (InterruptedException nobodyDoesThat) {
                assert false;
            }
        }
    }

    public static void main(String[] args) {
        BufferNotifyOne buffer = new BufferNotifyOne();
        new Producer(buffer).start();
        new Producer(buffer).start();
        new Consumer(buffer).start();
        new Consumer(buffer).start();
    }
}
