// A buffer for one item, with two producers and two consumers, that wakes up all who wait.
//
// Expected: safe
//
// BufferNotifyOne.java is the same with `notify`.

class BufferNotifyAll {
    private Object item;

    synchronized void put(Object wanted) throws InterruptedException {
        while (item != null) {
            wait();
        }
        item = wanted;
        notifyAll();
    }

    synchronized Object take() throws InterruptedException {
        while (item == null) {
            wait();
        }
        Object taken = item;
        item = null;
        notifyAll();
        return taken;
    }

    static class Producer extends Thread {
        private final BufferNotifyAll buffer;

        Producer(BufferNotifyAll buffer) {
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
        private final BufferNotifyAll buffer;

        Consumer(BufferNotifyAll buffer) {
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
        BufferNotifyAll buffer = new BufferNotifyAll();
        new Producer(buffer).start();
        new Producer(buffer).start();
        new Consumer(buffer).start();
        new Consumer(buffer).start();
    }
}
