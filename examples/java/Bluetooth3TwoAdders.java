// The Windows NT Bluetooth driver, version 3, with two adders and one stopper.
//
// Expected: safe
//
// Written after the description by Suwimonteerabuth, Esparza and Schwoon (Symbolic Context-Bounded
// Analysis of Multithreaded Java Programs, SPIN 2008, section 5.2).
//
// Adders do input and output in the driver, stoppers halt it. pendingIo counts the threads in the
// driver, and one more for the driver itself. Who counts down to 0 fires the event for which
// stoppers wait. After that, nobody may be in the driver. The main thread is one of the adders.
//
// With a single stopper, version 3 is right: an adder that finds the flag clear has counted itself
// before, and stays counted until it is done. So while it works, pendingIo is not 0.

class Bluetooth3TwoAdders {
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
        increment();
        if (stoppingFlag) {
            leave();
            return false;
        }
        return true;
    }

    void add() {
        if (enter()) {
            assert !stopped; // input and output
            leave();
        }
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
        Bluetooth3TwoAdders device = new Bluetooth3TwoAdders();
        new Thread(device::add).start();
        new Thread(device::halt).start();
        device.add();
    }
}
