"""Random concurrent Java programs that use much of the language and of the library.

No oracle knows what they do: they are for comparisons with a JVM. A program takes two or three of
the features below. All that threads share is volatile or synchronises, so it behaves as under
sequential consistency, and `run` returns one int, made of all that they have left. An exception
that nobody catches is for the handler of the thread.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple


class Feature(NamedTuple):
    """What a feature declares, and its statements. In these, `{t}` is a thread that has been
    started, `{i}`, `{j}` and `{k}` are numbers, `{p}` a local, `{s}` a shared variable, `{c}` a
    condition, `{b}` a block, `{m}` an expression that is an int, and `{z}` makes names new."""

    fields: str
    statements: tuple[str, ...]
    left: tuple[str, ...] = ()
    """What becomes part of the outcome at the end."""
    rare: tuple[str, ...] = ()
    """Statements after which there is often little to see: threads are stuck, or have ended."""


_VOLATILE = Feature(
    "static volatile int x, y;",
    (
        "{s} = {k};",
        "{s}++;",
        "--{s};",
        "{s} += {m};",
        "{p} = {s};",
        "{p} = {m};",
        "{s} = {p};",
        "if ({c}) {{ {b} }}",
        "if ({c}) {{ {b} }} else {{ {b} }}",
        "for (int i{z} = 0; i{z} < 2; i{z}++) {{ {b} }}",
    ),
    ("x", "y"),
)

FEATURES = {
    "atomic": Feature(
        "static final AtomicInteger a = new AtomicInteger();\n"
        "static final AtomicReference<Integer> ref = new AtomicReference<>();\n"
        "static final AtomicIntegerArray arr = new AtomicIntegerArray(2);\n"
        "static final AtomicBoolean flag = new AtomicBoolean();",
        (
            "{p} = a.incrementAndGet();",
            "{p} = a.getAndDecrement();",
            "{p} = a.get();",
            "{p} = a.getAndSet({m});",
            "{p} = a.compareAndSet({k}, {m}) ? 1 : 0;",
            "{p} = a.updateAndGet(u{z} -> u{z} + 1);",
            "{p} = a.accumulateAndGet({k}, (u{z}, w{z}) -> u{z} * 2 + w{z});",
            "ref.set({k});",
            "{p} = ref.get();",
            "{p} = ref.get() == null ? 7 : 6;",
            "{p} = ref.compareAndSet(null, {k}) ? 1 : 0;",
            "{p} = arr.addAndGet({j}, 1);",
            "{p} = arr.get({i});",
            "arr.set({j}, {m});",
            "if (flag.compareAndSet(false, true)) {{ {b} }}",
            "flag.set(false);",
            "if (flag.getAndSet(true)) {{ {b} }}",
        ),
        (
            "a.get()",
            "arr.get(0)",
            "arr.get(1)",
            "ref.get() == null ? 5 : ref.get()",
            "flag.get() ? 1 : 0",
        ),
    ),
    "monitor": Feature(
        "static final Object L = new Object(), M = new Object();\n"
        "static int g; static synchronized void inc() { g++; pause(); g++; }\n"
        "static synchronized int got() { pause(); return g; }",
        (
            "synchronized (L) {{ {b} }}",
            "synchronized (M) {{ {b} }}",
            "synchronized (L) {{ {b} synchronized (M) {{ {b} }} }}",
            "synchronized (M) {{ {b} synchronized (L) {{ {b} }} }}",
            "synchronized (L) {{ while ({c}) L.wait(); {b} }}",
            "synchronized (L) {{ {b} L.notifyAll(); }}",
            "synchronized (L) {{ {b} L.notify(); }}",
            "synchronized (L) {{ if ({c}) L.wait(1); {b} }}",
            "inc();",
            "{p} = got();",
            "synchronized ({name}.class) {{ g++; {b} }}",
            "{p} = Thread.holdsLock(L) ? 1 : 0;",
        ),
        ("got()",),
        rare=(
            "synchronized (L) {{ L.wait(); }}",
            "L.notify();",
            "M.wait();",
            "synchronized (L) {{ synchronized (M) {{ {b} L.wait(); {b} }} }}",
        ),
    ),
    "lock": Feature(
        "static final ReentrantLock R = new ReentrantLock();\n"
        "static final Condition C = R.newCondition();",
        (
            "R.lock(); try {{ {b} }} finally {{ R.unlock(); }}",
            "R.lockInterruptibly(); try {{ {b} }} finally {{ R.unlock(); }}",
            "if (R.tryLock()) try {{ {b} }} finally {{ R.unlock(); }}",
            "if (R.tryLock(1, TimeUnit.MILLISECONDS)) try {{ {b} }} finally {{ R.unlock(); }}",
            "R.lock(); try {{ while ({c}) C.await(); {b} }} finally {{ R.unlock(); }}",
            "R.lock(); try {{ if ({c}) C.await(); {b} }} finally {{ R.unlock(); }}",
            "R.lock(); try {{ {b} C.signalAll(); }} finally {{ R.unlock(); }}",
            "R.lock(); try {{ {b} C.signal(); }} finally {{ R.unlock(); }}",
            "R.lock(); try {{ {p} = C.await(1, TimeUnit.MILLISECONDS) ? 1 : 0; }} "
            "finally {{ R.unlock(); }}",
            "{p} = R.isLocked() ? 1 : 0;",
            "{p} = R.getHoldCount();",
            "{p} = R.isHeldByCurrentThread() ? 1 : 0;",
        ),
        ("R.isLocked() ? 1 : 0",),
        rare=(
            "R.unlock();",
            "C.signal();",
            "R.lock();",
        ),
    ),
    "readers": Feature(
        "static final ReentrantReadWriteLock W = new ReentrantReadWriteLock();",
        (
            "W.readLock().lock(); try {{ {b} }} finally {{ W.readLock().unlock(); }}",
            "W.writeLock().lock(); try {{ {b} }} finally {{ W.writeLock().unlock(); }}",
            "if (W.writeLock().tryLock()) try {{ {b} }} finally {{ W.writeLock().unlock(); }}",
            "if (W.readLock().tryLock()) try {{ {b} }} finally {{ W.readLock().unlock(); }}",
            "W.writeLock().lock(); W.readLock().lock(); try {{ {b} }} "
            "finally {{ W.writeLock().unlock(); {b} W.readLock().unlock(); }}",
        ),
        rare=(
            "W.readLock().unlock();",
            "W.writeLock().unlock();",
        ),
    ),
    "semaphore": Feature(
        "static final Semaphore S = new Semaphore(1);",
        (
            "S.acquire(); {b} S.release();",
            "S.release();",
            "{p} = S.tryAcquire(2) ? 1 : 0;",
            "{p} = S.tryAcquire() ? 1 : 0;",
            "{p} = S.availablePermits();",
            "S.release(2);",
            "{p} = S.drainPermits();",
            "S.acquireUninterruptibly(); {b} S.release();",
            "{p} = S.tryAcquire(1, TimeUnit.MILLISECONDS) ? 1 : 0;",
        ),
        ("S.availablePermits()",),
        rare=("S.acquire();",),
    ),
    "latch": Feature(
        "static final CountDownLatch D = new CountDownLatch(2);",
        (
            "D.countDown();",
            "D.countDown(); {b}",
            "{p} = (int) D.getCount();",
            "{p} = D.await(1, TimeUnit.MILLISECONDS) ? 1 : 0;",
            "D.countDown(); D.countDown();",
        ),
        ("(int) D.getCount()",),
        rare=("D.await(); {b}",),
    ),
    "barrier": Feature(
        "static int action; static final CyclicBarrier Z = new CyclicBarrier(2, () -> action++);",
        (
            "{b} {p} = Z.await(); {b}",
            "{p} = Z.isBroken() ? 1 : 0;",
            "Z.reset();",
            "{p} = Z.getNumberWaiting();",
            "try {{ {p} = Z.await(1, TimeUnit.MILLISECONDS); }} "
            "catch (TimeoutException e{z}) {{ {p} = 6; }}",
        ),
        ("Z.isBroken() ? 1 : 0",),
        rare=("{p} = Z.await();",),
    ),
    "map": Feature(
        "static final ConcurrentHashMap<Integer, Integer> H = new ConcurrentHashMap<>();\n"
        "static int or(Integer number) { return number == null ? 7 : number; }",
        (
            "{p} = or(H.put({i}, {k}));",
            "{p} = or(H.putIfAbsent({i}, {k}));",
            "{p} = or(H.get({i}));",
            "{p} = or(H.remove({i}));",
            "{p} = H.size();",
            "{p} = H.merge({i}, 1, Integer::sum);",
            "{p} = H.containsKey({i}) ? 1 : 0;",
            "{p} = H.replace({i}, {k}, {j}) ? 1 : 0;",
            "{p} = H.computeIfAbsent({i}, u{z} -> u{z} + 2);",
        ),
        ("or(H.get(0))", "or(H.get(1))"),
        rare=("{p} = H.get({i});",),
    ),
    "queue": Feature(
        "static final BlockingQueue<Integer> Q = new ArrayBlockingQueue<>(1);\n"
        "static final Queue<Integer> free = new ConcurrentLinkedQueue<>();\n"
        "static int of(Integer number) { return number == null ? 7 : number; }",
        (
            "{p} = Q.offer({k}) ? 1 : 0;",
            "{p} = of(Q.poll());",
            "{p} = Q.size();",
            "{p} = of(Q.peek());",
            "free.add({k});",
            "{p} = of(free.poll());",
            "{p} = free.isEmpty() ? 1 : 0;",
            "{p} = of(Q.poll(1, TimeUnit.MILLISECONDS));",
        ),
        ("Q.size()", "of(free.peek())"),
        rare=(
            "Q.put({k});",
            "{p} = Q.take();",
            "Q.add({k});",
            "{p} = Q.remove();",
        ),
    ),
    "thread": Feature(
        "static final ThreadLocal<Integer> own = ThreadLocal.withInitial(() -> 3);\n"
        "static void nap() { pause(); x++; }",
        (
            "t[{t}].interrupt();",
            "t[{t}].join();",
            "t[{t}].join(1);",
            "{p} = t[{t}].isAlive() ? 1 : 0;",
            "{p} = t[{t}].isInterrupted() ? 1 : 0;",
            "{p} = Thread.interrupted() ? 1 : 0;",
            "Thread.sleep(1);",
            "Thread.sleep(0);",
            "LockSupport.unpark(t[{t}]);",
            "LockSupport.parkNanos(1000);",
            "Thread.currentThread().interrupt();",
            "own.set({m});",
            "{p} = own.get();",
            "Thread c{z} = new Thread({name}::nap); c{z}.start(); {b}",
            "Thread c{z} = new Thread({name}::nap); c{z}.start(); {b} c{z}.join();",
            "synchronized (t[{t}]) {{ {b} }}",
            "synchronized (t[{t}]) {{ t[{t}].join(); {b} }}",
            "synchronized (t[{t}]) {{ if ({c}) t[{t}].wait(); {b} }}",
            "{p} = Thread.currentThread() == t[{t}] ? 1 : 0;",
        ),
        rare=(
            "t[{t}].start();",
            "LockSupport.park();",
        ),
    ),
    "exception": Feature(
        "static final int[] few = new int[2]; static Object thing() { return x == 0 ? null : "
        'y == 0 ? "text" : (Object) few; }\n'
        "static class Own extends Exception { final int n; Own(int n) { this.n = n; } }",
        (
            "{p} = 6 / {s};",
            "{p} = few[{s}];",
            "{p} = thing().hashCode() == 0 ? 1 : 2;",
            "{p} = ((String) thing()) == null ? 1 : 0;",
            "try {{ {b} }} catch (ArithmeticException e{z}) {{ {b} }}",
            "try {{ {p} = 6 / {s}; {b} }} catch (ArithmeticException e{z}) {{ {b} }}",
            "try {{ {b} {b} }} catch (RuntimeException e{z}) {{ {p} = code(e{z}); }}",
            "try {{ {b} }} finally {{ {s}++; }}",
            "try {{ {b} {b} }} finally {{ {b} }}",
            "try {{ if ({c}) throw new Own({k}); {b} }} catch (Own e{z}) {{ {p} = e{z}.n; }}",
            "try {{ {b} }} catch (Throwable e{z}) {{ {p} = code(e{z}); throw e{z}; }}",
        ),
        rare=(
            "{p} = new int[{m} - 2].length;",
            "if ({c}) throw new IllegalStateException();",
        ),
    ),
    "initialisation": Feature(
        "static class First { static int k = 1; "
        "static { pause(); k += Second.k; pause(); y++; } }\n"
        "static class Second { static int k = 2; static { x++; pause(); k += First.k; } }\n"
        "static class Bad { static int k = 3; static { pause(); k = 6 / x; } }\n"
        "static class Child extends Parent { static int k = 1; static { pause(); k += x; } }\n"
        "static class Parent { static volatile int l = 2; static { pause(); y += 2; } }\n"
        "interface Default { int made = count(); default int one() { return 1; } }\n"
        "static class Has implements Default { static int k = 4; }\n"
        "static int count() { pause(); return ++x; }\n"
        "enum Kind { A, B; static int n = count(); }",
        (
            "{p} = First.k;",
            "{p} = Second.k;",
            "{p} = Bad.k;",
            "{p} = Child.k;",
            "{p} = Parent.l;",
            "{p} = Child.l;",
            "new Child();",
            "{p} = Has.k;",
            "new Has().one();",
            "{p} = Kind.values().length;",
            "{p} = Kind.n;",
            "{p} = new First[1].length;",
            "try {{ {p} = Bad.k; }} catch (Throwable e{z}) {{ {p} = code(e{z}); }}",
        ),
    ),
    "objects": Feature(
        "static abstract class Shape { volatile int n; abstract int f(int k); "
        "synchronized int g(int k) { n += k; pause(); return f(n); } }\n"
        "static class Round extends Shape { int f(int k) { return k + n; } }\n"
        "static class Long_ extends Shape { int f(int k) { n++; return k * 2; } }\n"
        "static volatile Shape shape = new Round();\n"
        "static final Vector<Integer> vector = new Vector<>();",
        (
            "shape = new Long_();",
            "shape = new Round();",
            "{p} = shape.g({k});",
            "{p} = shape.f({m});",
            "Shape h{z} = shape; {b} {p} = h{z}.g(1);",
            "{p} = shape instanceof Round ? 1 : 0;",
            "shape.n = {m};",
            "synchronized (shape) {{ {b} }}",
            "{p} = ((Round) shape).n;",
            "vector.add({k});",
            "{p} = vector.size();",
            "if (!vector.isEmpty()) {p} = vector.lastElement();",
        ),
        ("shape == null ? 5 : shape.n", "vector.size()"),
        rare=(
            "shape = null;",
            "{p} = vector.remove(0);",
        ),
    ),
    "pool": Feature(
        "static final FutureTask<Integer> F = new FutureTask<>(() -> { pause(); return 6 / x; });",
        (
            "F.run();",
            "try {{ {p} = F.get(); }} catch (ExecutionException e{z}) {{ {p} = 5; }}",
            "{p} = F.isDone() ? 1 : 0;",
            "{p} = F.cancel(true) ? 1 : 0;",
            "{p} = F.cancel(false) ? 1 : 0;",
            "{p} = F.isCancelled() ? 1 : 0;",
            "ExecutorService w{z} = Executors.newFixedThreadPool(1); w{z}.execute(() -> x++); "
            "{b} w{z}.shutdown();",
            "ExecutorService w{z} = Executors.newFixedThreadPool(1); "
            "Future<Integer> u{z} = w{z}.submit(() -> x + 1); {b} w{z}.shutdown(); "
            "try {{ {p} = u{z}.get(); }} catch (ExecutionException e{z}) {{ {p} = 5; }}",
        ),
    ),
}

_CODES = (
    "ArithmeticException", "ArrayIndexOutOfBoundsException", "NullPointerException",
    "ClassCastException", "IllegalMonitorStateException", "IllegalThreadStateException",
    "NegativeArraySizeException", "InterruptedException", "ExceptionInInitializerError",
    "NoClassDefFoundError", "BrokenBarrierException", "NoSuchElementException",
    "CancellationException", "IllegalStateException",
)  # fmt: skip


class LibraryProgram:
    """A class with a method `run`, the same for the same seed."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.random = Random(seed)
        self.features = self.random.sample(sorted(FEATURES), self.random.choice((1, 2, 2, 3)))
        used = [FEATURES[each] for each in self.features]
        self._fields = [_VOLATILE.fields, *(each.fields for each in used)]
        self._left = [what for each in (_VOLATILE, *used) for what in each.left]
        self._used = used
        self._fresh = 0
        count = self.random.choice((2, 2, 2, 3))
        least, most = (2, 4) if count == 2 else (1, 2)
        self._threads = [
            [self._statement(number, 2) for _ in range(self.random.randint(least, most))]
            for number in range(count)
        ]
        self._catches = [self.random.random() < 0.6 for _ in range(count)]

    def source(self, outcomes: list[int] | None = None, pause: str = "") -> str:
        """The program in Java, where `check` asserts that it is none of these outcomes."""
        everything = range(len(self._threads))
        chain = "".join(f"e instanceof {each} ? {n + 1} : " for n, each in enumerate(_CODES))
        lines = [
            "import java.util.*; import java.util.concurrent.*;",
            "import java.util.concurrent.atomic.*; import java.util.concurrent.locks.*;",
            f"public class {self.name} {{",
            *self._fields,
            f"static final Thread[] t = new Thread[{len(self._threads)}];",
            f"static int {', '.join(f'p{n}, q{n}, e{n}' for n in everything)};",
            f"static void pause() {{ {pause} }}",
            f"static int code(Throwable e) {{ return {chain}0; }}",
        ]
        checked = ["Interrupted"] + ["BrokenBarrier"] * ("barrier" in self.features)
        never = [f"if (p != 0) throw new {each}Exception();" for each in checked]
        for number, statements in enumerate(self._threads):
            lines += [f"static void f{number}() {{ int p = 0, q = 0; try {{", *never, *statements]
            lines += [f"}} catch (InterruptedException e) {{ e{number} = 8;"]
            if "barrier" in self.features:
                lines += [f"}} catch (BrokenBarrierException e) {{ e{number} = 11;"]
            if self._catches[number]:
                lines += [f"}} catch (RuntimeException | Error e) {{ e{number} = code(e);"]
            lines += [f"}} p{number} = p; q{number} = q; }}"]
        lines += ["static int run() throws InterruptedException {"]
        lines += [f"t[{n}] = new Thread({self.name}::f{n});" for n in everything]
        lines += [f"pause(); t[{n}].start();" for n in everything]
        lines += [f"pause(); t[{n}].join();" for n in everything]
        lines += ["int o = 0;"]
        parts = [*self._left, *(f"{what}{n}" for n in everything for what in "pqe")]
        lines += [f"o = o * 31 + ({each});" for each in parts]
        lines += ["return o; }"]
        if outcomes is not None:
            lines += ["static void check() throws InterruptedException {", "int o = run();"]
            lines += [f"if (o == {each}) assert false;" for each in outcomes] + ["}"]
        return "\n".join([*lines, "}"]) + "\n"

    def _statement(self, number: int, depth: int) -> str:
        chosen = self.random.choice([_VOLATILE, *self._used, *self._used])
        while True:
            rare = chosen.rare and self.random.random() < 0.06
            text = self.random.choice(chosen.rare if rare else chosen.statements)
            if ("{b}" in text and not depth) or ("{t}" in text and not number):
                chosen = self.random.choice([_VOLATILE, chosen])
                continue
            return "pause(); " + self._filled(text, number, depth)

    def _filled(self, text: str, number: int, depth: int) -> str:
        while "{b}" in text:
            count = self.random.choice((1, 1, 2))
            inside = [self._statement(number, depth - 1) for _ in range(count)]
            text = text.replace("{b}", _escaped(" ".join(inside)), 1)
        self._fresh += 1
        random = self.random
        local, shared = random.choice("pq"), random.choice("xy")
        number_read = random.choice((local, "q", "x", "y", "1", "2"))
        return text.format(
            p=local, s=shared, k=random.randint(0, 3), i=random.randint(0, 1),
            j=random.choice((0, 1, 1, 2)), z=self._fresh, name=self.name,
            t=random.randrange(number) if number else 0, m=number_read,
            c=f"{random.choice((local, 'x', 'y'))} {random.choice(('==', '!=', '<'))} "
            f"{random.randint(0, 2)}",
        )  # fmt: skip


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
