"""Random bytes and damaged files through the command line: an answer or a refusal, nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from support.cli import COMMANDS, FIGURE4, INFINITE, Completed, call
from support.samples.program_texts import RACE

pytestmark = pytest.mark.fuzz

LIMITS = ("--timeout", "5", "--max-contexts", "6")

BEGIN_END = """\
decl a, {b = 1};
void f(x) begin decl l; l := x & *; if (l) then a := !l; else SLIC_ERROR: skip; fi end
bool<2> g() begin return a, {b = 1}; end
void main() begin
  a, {b = 1} := g(); start_thread f(T); while (?) do atomic_begin; a := 1; atomic_end; od;
  assert((a | {b = 1}) != schoose [a, T]);
end
"""

FILES = {
    "a.cpds": Path(FIGURE4).read_bytes(),
    "b.cpds": INFINITE.encode() + b'bad deadlock\nbad "s" | -, *\n',
    "c.pds": b"\xef\xbb\xbf3 # states\r\nPDA 0 4\r\n0 1 -> 1 2 03\n1 2 -> 2 -\n2 - -> 0 1\n"
    b"PDA 5 6\n0 5 -> 1 6\n",
    "c.init": b"0|1.2,5\n",
    "c.spec": b"2|*,6\n1|3,-\ndeadlock\n",
    "d.bp": RACE.encode(),
    "e.bp": BEGIN_END.encode(),
}
PIECES = [*b'\n\r\t "#*,-.0|9>AaPq{}\\\x00\x7f\x80\xff', "é".encode(), b"->", b"1" * 30, b"* 99"]

OPTIONS = {
    "verify": [
        *(["--z", "off"], ["--z", "cut"], ["--symmetry", "off"], ["--contexts", "3"]),
        *(["--property", "deadlock"], ["--json"], ["--no-check"], []),
    ],
    "explore": [["--z", "off"], ["--list"], ["--json"], ["--symmetry", "off"], []],
    "inspect": [["--json"], []],
    "convert": [["--force"]],
    "check": [["--json"], []],
}


def test_damaged_files_get_an_answer_or_a_refusal(fuzz_systems: int, tmp_path: Path) -> None:
    rng = Random(1)
    codes = set()
    for _ in range(fuzz_systems):
        for name, content in FILES.items():
            (tmp_path / name).write_bytes(content)
        damaged = rng.choice(list(FILES))
        (tmp_path / damaged).write_bytes(_damaged(FILES[damaged], rng))
        main = damaged if damaged.endswith((".cpds", ".bp")) else "c.pds"
        command = rng.choice(COMMANDS[:2] + COMMANDS[3:])
        codes.add(_require_sense(command, main, rng, tmp_path).code)
    assert {0, 1, 2, 3} <= codes


def test_random_bytes_get_a_refusal(fuzz_systems: int, tmp_path: Path) -> None:
    rng = Random(2)
    for _ in range(fuzz_systems // 4):
        name = rng.choice(["x.cpds", "x.pds", "x.bp"])
        (tmp_path / name).write_bytes(rng.randbytes(rng.randrange(200)))
        done = _require_sense(rng.choice(COMMANDS), name, rng, tmp_path)
        assert done.code == 2


def test_random_options_get_an_answer_or_a_refusal(fuzz_systems: int) -> None:
    rng = Random(3)
    texts = {
        "--init": "q0|1.1,4.6",
        "--target": "q3|2,* * 1",
        "--z": "matched:2",
        "--memory": "4G",
        "--property": "deadlock",
    }
    codes = set()
    for _ in range(fuzz_systems // 2):
        option, text = rng.choice(list(texts.items()))
        # Arguments are text without null bytes; other bytes arrive as lone surrogates.
        value = _damaged(text.encode(), rng).replace(b"\0", b"").decode(errors="surrogateescape")
        codes.add(_sensible(call("verify", FIGURE4, option, value, *LIMITS)).code)
    assert {0, 1, 2} <= codes


@pytest.mark.parametrize("options", [[], ["--target", "q3|2,4"]], ids=["certificate", "trace"])
def test_damaged_evidence_is_accepted_rejected_or_refused(
    options: list[str], fuzz_systems: int, tmp_path: Path
) -> None:
    call("verify", FIGURE4, "--evidence", "good.json", *options, cwd=tmp_path)
    good = (tmp_path / "good.json").read_bytes()
    rng = Random(4)
    codes = set()
    for _ in range(fuzz_systems // 2):
        bad = rng.choice([_damaged, _with_another_name])(good, rng)
        (tmp_path / "bad.json").write_bytes(bad)
        codes.add(_sensible(call("check", FIGURE4, "bad.json", cwd=tmp_path)).code)
    assert {1, 2} <= codes <= {0, 1, 2}


def _require_sense(command: str, file: str, rng: Random, folder: Path) -> Completed:
    limits = LIMITS if command in ("verify", "explore") else ()
    operands = {"check": ["c.spec"], "convert": [rng.choice(["new.pds", "new.cpds"])]}
    args = [command, file, *operands.get(command, []), *rng.choice(OPTIONS[command])]
    return _sensible(call(*args, *limits, cwd=folder))


def _sensible(done: Completed) -> Completed:
    assert done.code in (0, 1, 2, 3, 4), done
    assert "Traceback" not in done.err
    assert bool(done.out) == (done.code != 2), done
    if done.code == 2:
        assert "error: " in done.err.lower()
    return done


def _damaged(content: bytes, rng: Random) -> bytes:
    """The content with a few bytes or words deleted, doubled, moved, replaced or inserted."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice([0, 1, 1, 2, 5, 20]))
        before, part, after = content[:start], content[start:end], content[end:]
        piece = rng.choice(PIECES)
        new = bytes([piece]) if isinstance(piece, int) else piece
        content = before + rng.choice([b"", part * 2, new, part + new]) + after
    return content


def _with_another_name(content: bytes, rng: Random) -> bytes:
    """The content with one of its names, or keys, in the place of another."""
    parts = re.split(rb'("[^"]*")', content)
    names = range(1, len(parts), 2)
    parts[rng.choice(names)] = parts[rng.choice(names)]
    return b"".join(parts)
