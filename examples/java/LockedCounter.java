// Two threads count under a lock, so no count is lost.
//
// Expected: safe
//
// RacyCounter.java is the same without `synchronized`.

class LockedCounter {
    private int count;

    synchronized void increment() {
        count++;
    }

    public static void main(String[] args) throws InterruptedException {
        LockedCounter counter = new LockedCounter();
        Thread other = new Thread(counter::increment);
        other.start();
        counter.increment();
        other.join();
        assert counter.count == 2;
    }
}
