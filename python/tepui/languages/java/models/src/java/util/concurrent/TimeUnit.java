// Units of time.
package java.util.concurrent;

public enum TimeUnit {
    NANOSECONDS,
    MICROSECONDS,
    MILLISECONDS,
    SECONDS,
    MINUTES,
    HOURS,
    DAYS;

    private long nanos() {
        return this == NANOSECONDS
                ? 1
                : this == MICROSECONDS
                        ? 1000L
                        : this == MILLISECONDS
                                ? 1000000L
                                : this == SECONDS
                                        ? 1000000000L
                                        : this == MINUTES
                                                ? 60000000000L
                                                : this == HOURS
                                                        ? 3600000000000L
                                                        : 86400000000000L;
    }

    /** Rounds to 0; what is too large becomes the largest value. */
    public long convert(long duration, TimeUnit unit) {
        long from = unit.nanos();
        long to = nanos();
        if (from <= to) {
            return duration / (to / from);
        }
        long factor = from / to;
        long most = Long.MAX_VALUE / factor;
        if (duration > most) {
            return Long.MAX_VALUE;
        }
        if (duration < -most) {
            return Long.MIN_VALUE;
        }
        return duration * factor;
    }

    public long toNanos(long duration) {
        return NANOSECONDS.convert(duration, this);
    }

    public long toMicros(long duration) {
        return MICROSECONDS.convert(duration, this);
    }

    public long toMillis(long duration) {
        return MILLISECONDS.convert(duration, this);
    }

    public long toSeconds(long duration) {
        return SECONDS.convert(duration, this);
    }

    public long toMinutes(long duration) {
        return MINUTES.convert(duration, this);
    }

    public long toHours(long duration) {
        return HOURS.convert(duration, this);
    }

    public long toDays(long duration) {
        return DAYS.convert(duration, this);
    }

    public void sleep(long duration) throws InterruptedException {
        if (duration > 0) {
            Thread.sleep(1);
        }
    }

    public void timedWait(Object o, long duration) throws InterruptedException {
        if (duration > 0) {
            o.wait(1);
        }
    }

    public void timedJoin(Thread thread, long duration) throws InterruptedException {
        if (duration > 0) {
            thread.join(1);
        }
    }
}
