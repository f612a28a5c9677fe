"""Java programs run many times on a JVM, with much chance for interleavings: what can be seen.

Each run is of a method `run`, by a class loader of its own, so that nothing is left of the run
before. Programs call `Perturb.pause()` here and there, which gives way or takes time, and is no
step of theirs. One JVM runs all of them.

A run that stands still is a deadlock: none of its threads waits for a time, and none has used the
processor while the one that looks at them had its turn many times. After an exception that nobody
catches, nothing else counts: for tepui, it ends the run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from support.java_runs import compile_java

PAUSE = "Perturb.pause();"

_PERTURB = """
import java.util.concurrent.atomic.AtomicInteger;
public class Perturb {
    static volatile int mode, threads;
    static volatile long seed;
    static final AtomicInteger arrived = new AtomicInteger();
    static final ThreadLocal<long[]> random = ThreadLocal.withInitial(() -> begin());
    static long[] begin() {
        int number = arrived.incrementAndGet();
        long until = System.nanoTime() + 200_000;
        while (mode > 1 && arrived.get() < threads && System.nanoTime() < until)
            Thread.onSpinWait();
        return new long[] {(seed + number) * 0x9E3779B97F4A7C15L | 1};
    }
    static int next(int most) {
        long[] state = random.get();
        long it = state[0];
        it ^= it << 13; it ^= it >>> 7; it ^= it << 17;
        state[0] = it;
        return (int) ((it >>> 20) % most);
    }
    static void spin(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() < until) Thread.onSpinWait();
    }
    public static void pause() {
        int how = mode;
        if (how == 0) return;
        int chance = next(1 << 16);
        switch (how) {
            case 1: case 2: if (chance % 2 == 0) Thread.yield(); break;
            case 3: spin(chance % 4_000); break;
            case 4: if (chance % 4 == 0) spin(20_000 + chance % 100_000); break;
            case 5: if (chance % 8 == 0) spin(300_000); break;
            default: if (chance % 3 != 0) spin(chance % 16_000);
        }
    }
}
"""

_RUNNER = """
import java.lang.management.*;
import java.lang.reflect.*;
import java.nio.file.*;
import java.util.*;
public class Schedules {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static Path folder;
    static final class Fresh extends ClassLoader {
        static final Map<String, byte[]> CODE = new HashMap<>();
        Fresh() { super(Schedules.class.getClassLoader()); }
        @Override protected synchronized Class<?> findClass(String name)
                throws ClassNotFoundException {
            byte[] code = CODE.computeIfAbsent(name, each -> {
                try { return Files.readAllBytes(folder.resolve(each + ".class")); }
                catch (java.io.IOException e) { return new byte[0]; }
            });
            if (code.length == 0) throw new ClassNotFoundException(name);
            return defineClass(name, code, 0, code.length);
        }
    }
    static final class Group extends ThreadGroup {
        private final Set<String> seen = new TreeSet<>();
        private boolean over, thrown;
        Group() { super("run"); }
        synchronized void add(String what) {
            if (over) return;
            seen.add(what);
            thrown |= what.startsWith("uncaught ");
        }
        synchronized Set<String> end() {
            over = true;
            if (thrown) seen.removeIf(each -> !each.startsWith("uncaught "));
            return seen;
        }
        @Override public void uncaughtException(Thread thread, Throwable e) {
            add("uncaught " + e.getClass().getName());
        }
    }
    public static void main(String[] args) throws Exception {
        folder = Paths.get(args[0]);
        int runs = Integer.parseInt(args[1]);
        for (String name : Arrays.asList(args).subList(2, args.length)) {
            Map<String, Integer> found = new TreeMap<>();
            int stuck = 0, done = 0;
            for (; done < runs && stuck < 20; done++) {
                Perturb.mode = done % 7;
                Perturb.seed = done * 1000L;
                Perturb.threads = 3 + done / 7 % 2;
                Perturb.arrived.set(0);
                Group group = new Group();
                if (one(name, group, stuck == 0 ? 250 : 10)) stuck++;
                for (String each : group.end()) found.merge(each, 1, Integer::sum);
            }
            System.out.println(name + " runs " + done);
            found.forEach((each, count) -> System.out.println(name + " " + each + " " + count));
            System.out.flush();
            Fresh.CODE.clear();
        }
        Runtime.getRuntime().halt(0);
    }
    /** Whether it is stuck. */
    static boolean one(String name, Group group, int patience) throws Exception {
        Method method = new Fresh().loadClass(name).getDeclaredMethod("run");
        method.setAccessible(true);
        Thread main = new Thread(group, () -> {
            try {
                group.add("end " + method.invoke(null));
            } catch (InvocationTargetException e) {
                group.add("uncaught " + e.getCause().getClass().getName());
            } catch (ReflectiveOperationException e) {
                group.add("broken " + e);
            }
        }, "main", 1 << 20);
        main.setDaemon(true);
        main.start();
        main.join(20);
        long before = -1;
        int quiet = 0;
        while (true) {
            Thread[] threads = new Thread[64];
            int count = group.enumerate(threads);
            if (count == 0) return false;
            long used = count;
            boolean timed = false;
            for (int n = 0; n < count; n++) {
                used += BEAN.getThreadCpuTime(threads[n].getId());
                timed |= threads[n].getState() == Thread.State.TIMED_WAITING;
            }
            quiet = used == before && !timed ? quiet + 1 : 0;
            before = used;
            if (quiet > patience) {
                group.add("deadlock");
                group.end();
                for (int round = 0; round < 3; round++)
                    for (int n = 0; n < count; n++) threads[n].interrupt();
                return true;
            }
            threads[0].join(2);
        }
    }
}
"""


class Seen(NamedTuple):
    """What runs of one program have shown, and how many of them there were."""

    runs: int
    ends: dict[int, int]
    """How often each outcome."""
    uncaught: dict[str, int]
    """How often an exception of each class has ended a thread."""
    deadlocks: int


def compile_schedules(folder: Path) -> Path:
    """Compile what runs programs, and what they call; the folder of its class files."""
    return compile_java(folder, {"Perturb": _PERTURB, "Schedules": _RUNNER})


def seen_on_jvm(runner: Path, out: Path, names: Iterable[str], runs: int) -> dict[str, Seen]:
    """Run each program this many times, or fewer if it is often stuck."""
    command = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"]
    command += ["-cp", str(runner), "Schedules", str(out), str(runs), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Seen] = {}
    for line in done.stdout.splitlines():
        name, kind, *what = line.split()
        if kind == "runs":
            found[name] = Seen(int(what[0]), {}, {}, 0)
        elif kind == "end":
            found[name].ends[int(what[0])] = int(what[1])
        elif kind == "uncaught":
            found[name].uncaught[what[0]] = int(what[1])
        elif kind == "deadlock":
            found[name] = found[name]._replace(deadlocks=int(what[0]))
        else:
            raise AssertionError(line)
    return found
