// The Windows NT Bluetooth driver, version 4, with two adders and two stoppers.
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
// Our own repair of version 3: only the stopper that sets the stopping flag gives back the count of
// the driver itself.

class BluetoothRepaired {
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
        boolean first;
        synchronized (this) {
            first = !stoppingFlag;
            stoppingFlag = true;
        }
        if (first) {
            leave();
        }
        while (!stoppingEvent) {
            Thread.yield();
        }
        stopped = true;
    }

    public static void main(String[] args) {
        BluetoothRepaired device = new BluetoothRepaired();
        new Thread(device::add).start();
        new Thread(device::halt).start();
        new Thread(device::halt).start();
        device.add();
    }
}
