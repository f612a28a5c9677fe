// The Windows NT Bluetooth driver, version 1, with one adder and one stopper.
//
// Expected: unsafe with 3 contexts (assertion)
//
// Written after the description by Suwimonteerabuth, Esparza and Schwoon (Symbolic Context-Bounded
// Analysis of Multithreaded Java Programs, SPIN 2008, section 5.2). The race was first reported by
// Qadeer and Wu (KISS: Keep It Simple and Sequential, PLDI 2004).
//
// Adders do input and output in the driver, stoppers halt it. pendingIo counts the threads in the
// driver, and one more for the driver itself. Who counts down to 0 fires the event for which
// stoppers wait. After that, nobody may be in the driver. The main thread is one of the adders.
//
// The adder looks at the stopping flag before it counts itself. In between, the stopper can run to
// its end; then the adder works in a driver that is stopped.

class Bluetooth1 {
    private int pendingIo = 1;
    private volatile boolean stoppingFlag;
    private volatile boolean stoppingEvent;
    private volatile boolean stopped;

    synchronized void increment() {
        pendingIo++;
    }

    synchronized int decrement() {
        return --pendingIo;
    }

    void leave() {
        if (decrement() == 0) {
            stoppingEvent = true;
        }
    }

    boolean enter() {
        if (stoppingFlag) {
            return false;
        }
        increment();
        return true;
    }

    void add() {
        if (enter()) {
            assert !stopped; // input and output
        }
        leave(); // even if it did not enter, as in the original
    }

    void halt() {
        stoppingFlag = true;
        leave();
        while (!stoppingEvent) {
            Thread.yield();
        }
        stopped = true;
    }

    public static void main(String[] args) {
        Bluetooth1 device = new Bluetooth1();
        new Thread(device::halt).start();
        device.add();
    }
}
