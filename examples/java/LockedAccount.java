// Two accounts with a ReentrantLock each, and transfers in both directions at once.
//
// Expected: safe
//
// Both locks are taken in the order of the accounts' numbers, whatever the direction of a transfer,
// so there is no deadlock; and nobody sees money that is on its way. `deposit` enters the lock of
// an account again that its thread has taken before.

import java.util.concurrent.locks.ReentrantLock;

class LockedAccount {
    private final ReentrantLock lock = new ReentrantLock();
    private final int number;
    private int balance = 2;

    LockedAccount(int number) {
        this.number = number;
    }

    void deposit(int amount) {
        lock.lock();
        try {
            balance += amount;
        } finally {
            lock.unlock();
        }
    }

    static void transfer(LockedAccount from, LockedAccount to) {
        LockedAccount first = from.number < to.number ? from : to;
        LockedAccount second = first == from ? to : from;
        first.lock.lock();
        second.lock.lock();
        try {
            from.deposit(-1);
            to.deposit(1);
        } finally {
            second.lock.unlock();
            first.lock.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LockedAccount one = new LockedAccount(1);
        LockedAccount two = new LockedAccount(2);
        Thread other = new Thread(() -> transfer(two, one));
        other.start();
        transfer(one, two);
        other.join();
        assert one.balance == 2 && two.balance == 2;
    }
}
