"""The child process that asks cvc5: SMT-LIB in, answers out (see `solver`).

Each request is a line with a number of bytes, and that many bytes of commands. The answer is one
line: what the commands print, or `error` and a reason. Run it with its limits as arguments: the
milliseconds for each question, and the bytes of memory.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import BinaryIO

from tepui.orphans import end_with_parent

UNUSABLE = "unusable"
"""What the answer begins with if there is no solver."""


def serve(requests: BinaryIO, answers: BinaryIO, milliseconds: str) -> None:
    """Answer until there are no more requests."""
    try:
        import cvc5  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        answers.write(f"{UNUSABLE} {error}".encode("ascii", "replace").replace(b"\n", b" ") + b"\n")
        return
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", milliseconds)
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    while header := requests.readline():
        text = requests.read(int(header)).decode("ascii")
        try:
            parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "request")
            printed = []
            while not (command := parser.nextCommand()).isNull():
                printed.append(str(command.invoke(solver, symbols)).strip())
            answer = " ".join(filter(None, printed))
        except Exception as error:  # Whatever it is, the parent does not accept it as an answer.
            answer = f"error {error}"
        answers.write(" ".join(answer.split()).encode("ascii", "replace") + b"\n")
        answers.flush()


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # There is no such limit on this system.
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


if __name__ == "__main__":
    end_with_parent()
    _limit_memory(int(sys.argv[2]))
    serve(sys.stdin.buffer, sys.stdout.buffer, sys.argv[1])
