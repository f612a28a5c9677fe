// Two threads count, and one of their counts can be lost.
//
// Expected: unsafe with 3 contexts (assertion)
//
// `count++` reads and writes in two steps. If the other thread counts in between, its result is
// overwritten. `synchronized` makes it one step: see LockedCounter.java.

class RacyCounter {
    private static int count;

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> count++);
        other.start();
        count++;
        other.join();
        assert count == 2;
    }
}
