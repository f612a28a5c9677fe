// Calfuzzer's wish for an order of threads, by the lines that they reach: it rules no order out.
package javato.activetesting.deterministicscheduler;

public class ApproxDeterministicScheduler {
    public static void waitForLine(int line) {}
}
