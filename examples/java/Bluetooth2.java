// The Windows NT Bluetooth driver, version 2, with two adders and one stopper.
//
// Expected: unsafe with 5 contexts (assertion)
//
// Written after the description by Suwimonteerabuth, Esparza and Schwoon (Symbolic Context-Bounded
// Analysis of Multithreaded Java Programs, SPIN 2008, section 5.2).
//
// Adders do input and output in the driver, stoppers halt it. pendingIo counts the threads in the
// driver, and one more for the driver itself. Who counts down to 0 fires the event for which
// stoppers wait. After that, nobody may be in the driver. The main thread is one of the adders.
//
// An adder counts itself first and looks at the stopping flag then, which is right. But if it finds
// the flag set, it is counted down twice: when it is refused, and again at the end of add. So one
// adder that comes too late lets the stopper through while another one is still in the driver.

class Bluetooth2 {
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
        Bluetooth2 device = new Bluetooth2();
        new Thread(device::add).start();
        new Thread(device::halt).start();
        device.add();
    }
}
