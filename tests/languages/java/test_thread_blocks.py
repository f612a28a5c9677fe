"""Blocks that are threads of their own: from CProver.startThread to CProver.endThread."""

from __future__ import annotations

import pytest

import tepui
from support.java_programs import java_text

TEXT = """
import org.cprover.CProver;

class Blocks {
    static int x; static volatile boolean done; int field = 3;
    static void either() { x = 5; CProver.startThread(333); x = 10; CProver.endThread(333);
        check(x == 5 || x == 10); }
    static void later() { x = 5; CProver.startThread(333); x = 10; CProver.endThread(333);
        check(x == 10); }
    static void earlier() { x = 5; CProver.startThread(1); x = 10; CProver.endThread(1);
        check(x == 5); }
    void copies() { int a = 1; long b = 1L << 40; Object c = new Object(); double d = 0.5;
        CProver.startThread(1);
        a++; check(a == 2 && b == 1L << 40 && c != null && field == 3 && d == 0.5); done = true;
        CProver.endThread(1);
        while (!done); check(a == 1); }
    static void loops() { for (int i = 0; i < 2; i++) { CProver.startThread(7);
        for (int k = 0; k < 2; k++) synchronized (Blocks.class) { x++; }
        CProver.endThread(7); }
        while (true) synchronized (Blocks.class) { if (x == 4) break; } }
    static void nested() { CProver.startThread(1); CProver.startThread(2); x = 1;
        CProver.endThread(2); done = true; CProver.endThread(1); while (!done); check(x == 1); }
    static void catches() { CProver.startThread(1);
        try { check(x == 1); } catch (IllegalStateException e) { done = true; }
        CProver.endThread(1); while (!done); }
    static void throwsAlone() { try { CProver.startThread(1); check(x == 1); CProver.endThread(1);
        } catch (IllegalStateException e) { x = 1; } }
    static void unequal() { CProver.startThread(1); x = 1; CProver.endThread(2); }
    static void leaves() { CProver.startThread(1); if (x == 0) return; x = 1;
        CProver.endThread(1); }
    static void check(boolean right) { if (!right) throw new IllegalStateException(); }
}
"""


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        ("either", "safe"),
        ("later", "unsafe"),
        ("earlier", "unsafe"),
        ("copies", "safe"),
        ("loops", "safe"),
        ("nested", "unsafe"),
        ("catches", "safe"),
        ("throwsAlone", "unsafe"),
        ("unequal", "unknown"),
        ("leaves", "unknown"),
    ],
)
def test_a_block_is_a_thread(entry: str, verdict: str) -> None:
    program = java_text(TEXT).program(f"Blocks.{entry}()")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    options = tepui.Options(limits=tepui.Limits(timeout=120))
    assert tepui.verify(program, questions, options).verdict == verdict
