"""Random bytes and damaged files through the command line: an answer or a refusal, nothing else."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.cli import COMMANDS, FIGURE4, INFINITE, Completed, call, run
from support.places import EXAMPLES
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
    rng = Random(5)
    codes = set()
    for _ in range(fuzz_systems // 2):
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


PDAAAL = """\
{"instance": [{"state-names": true, "weight-type": "uint"},
 {"states": {"p": {"A": [{"to": "q", "swap": "B", "weight": 2}],
                   "B": {"to": "p", "push": "A", "weight": 3}},
             "q": {"B": [{"to": "p", "pop": "", "weight": 1}],
                   "*": {"to": "q", "pop": "", "weight": 1}}}},
 {"accepting": [0], "edges": [["p", "A", 0], [0, "B", 0]]},
 {"accepting": [0], "edges": [["q", "B", 0]]}]}
"""

TASK = """\
format_version: '2.0'
input_files: 'd.bp'
properties:
  - property_file: p.prp
    expected_verdict: false
  - {property_file: q.prp, expected_verdict: true}
options: {threads: {work: 2}}
other: &any [1, "two", null, 3.5, 2020-01-01, {a: b}]
again: [*any, !!str 5]
"""

WEIGHTED = {
    "costs": (EXAMPLES / "wpds-figure7.json").read_bytes(),
    "threads": (EXAMPLES / "wpds-threads.json").read_bytes(),
    "PDAAAL": PDAAAL.encode(),
}


@pytest.mark.parametrize("kind", WEIGHTED)
def test_a_damaged_weighted_file_is_weighed_or_refused(
    kind: str, fuzz_systems: int, tmp_path: Path
) -> None:
    rng = Random(6)
    codes = set()
    for _ in range(fuzz_systems // 4):
        damage = rng.choice([_damaged, _with_another_name, _with_another_value])
        (tmp_path / "a.json").write_bytes(damage(WEIGHTED[kind], rng))
        options = rng.choice([["--json"], ["--post"], ["--pre"], ["--contexts", "2"], []])
        done = call("weigh", "a.json", *options, "--timeout", "2", cwd=tmp_path)
        codes.add(_orderly(done).code)
    assert {0, 2} <= codes


@pytest.mark.parametrize("file", ["bluetooth1.bp", "peterson.bp", "fork-figure4.bp"])
def test_damaged_evidence_about_a_program_is_accepted_rejected_or_refused(
    file: str, fuzz_systems: int, tmp_path: Path
) -> None:
    program = str(EXAMPLES / file)
    call("verify", program, "--evidence", "good.json", *LIMITS, cwd=tmp_path)
    good = (tmp_path / "good.json").read_bytes()
    rng = Random(7)
    codes = set()
    for _ in range(fuzz_systems // 4):
        damage = rng.choice([_damaged, _with_another_name, _with_another_value])
        (tmp_path / "bad.json").write_bytes(damage(good, rng))
        done = call("check", program, "bad.json", "--timeout", "5", cwd=tmp_path)
        codes.add(_orderly(done).code)
    assert {1, 2} <= codes <= {0, 1, 2, 3}


NETS = {
    "work.tts": b"3 4\n0 0 -> 1 1\n1 0 -> 1 0\n1 1 +> 2 3\n2 3 -> 0 0\n1 2 -> 1 2 1 ~> 3\n",
    "work.spec": b"""\
vars
    idle busy done
rules
    idle >= 1 -> idle' = idle - 1, busy' = busy + 1;
    busy >= 1, done >= 0 -> done' = done + busy, busy' = 0;
init
    idle >= 1, busy = 0, done = 0
target
    done >= 2
invariants
    idle = 1, busy = 1
""",
}


@pytest.mark.parametrize("name", NETS)
def test_a_damaged_net_is_decided_or_refused(name: str, fuzz_systems: int, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(NETS[name])
    (tmp_path / "work.tts.prop").write_text("2|3,3\n")
    assert call("verify", name, "--evidence", "good.json", cwd=tmp_path).code in (0, 1)
    good = (tmp_path / "good.json").read_bytes()
    rng = Random(10)
    codes = set()
    for _ in range(fuzz_systems // 4):
        (tmp_path / name).write_bytes(_damaged(NETS[name], rng))
        shape = rng.choice([["--json"], ["--no-check"], []])
        codes.add(_orderly(call("verify", name, *shape, *LIMITS[:2], cwd=tmp_path)).code)
    assert codes >= {0, 2} or codes >= {1, 2}
    (tmp_path / name).write_bytes(NETS[name])
    codes = set()
    for _ in range(fuzz_systems // 4):
        damage = rng.choice([_damaged, _with_another_name, _with_another_value])
        (tmp_path / "bad.json").write_bytes(damage(good, rng))
        codes.add(_orderly(call("check", name, "bad.json", *LIMITS[:2], cwd=tmp_path)).code)
    assert {1, 2} <= codes <= {0, 1, 2, 3}


def test_a_damaged_task_is_done_or_refused(fuzz_systems: int, tmp_path: Path) -> None:
    (tmp_path / "d.bp").write_text(RACE)
    properties = {
        "p.prp": b"CHECK( init(main()), LTL(G ! call(enter())) )",
        "q.prp": b"CHECK( init(main()), LTL(G ! deadlock) )",
    }
    files = {"t.yml": TASK.encode(), **properties}
    rng = Random(8)
    codes = set()
    for _ in range(fuzz_systems // 2):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        damaged = rng.choice(["t.yml", "t.yml", *properties])
        (tmp_path / damaged).write_bytes(_damaged(files[damaged], rng))
        options = rng.choice([["--property", "deadlock"], ["--property", "q.prp"], ["--json"], []])
        done = call("verify", "t.yml", *options, *LIMITS, cwd=tmp_path)
        codes.add(_orderly(done).code)
    assert 2 in codes
    assert codes != {2}


def test_a_damaged_store_is_read_or_refused(fuzz_systems: int, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.cpds").write_text(INFINITE)
    good = tmp_path / "good.sqlite"
    for name in ("one", "two"):
        done = run("suite", "tasks", "--run", name, "--store", good.name, cwd=tmp_path)
        assert done.code == 0, done
    content = good.read_bytes()
    bad = tmp_path / "bad.sqlite"
    rng = Random(9)
    codes = set()
    for _ in range(fuzz_systems // 2):
        bad.write_bytes(content)
        rng.choice([_overwrite, _replace_a_cell])(bad, rng)
        asked = rng.choice([["--compare", "one", "two"], ["--compare", "two", "bad.sqlite:one"]])
        shape = rng.choice([["--json"], ["--html", "t.html"], ["--junit", "t.xml"], []])
        done = call("suite", *asked, "--store", bad.name, *shape, cwd=tmp_path)
        codes.add(_orderly(done).code)
    assert {0, 2} <= codes


def _overwrite(store: Path, rng: Random) -> None:
    """Other bytes in some places of a file, which is as long as before, or is cut off."""
    content = bytearray(store.read_bytes())
    for _ in range(rng.randint(1, 20)):
        at = rng.randrange(len(content))
        content[at] = rng.choice([0, 1, 255, content[at] ^ 1 << rng.randrange(8)])
    store.write_bytes(content[: rng.choice([len(content)] * 9 + [rng.randrange(len(content))])])


def _replace_a_cell(store: Path, rng: Random) -> None:
    """Another value in a cell of some table."""
    with sqlite3.connect(store) as database:
        found = database.execute("select name from sqlite_master where type = 'table'").fetchall()
        table = rng.choice(found)[0]
        columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
        value = rng.choice([None, "", "x", "{}", "[]", -1, 2**62, 0.5, float("inf"), b"\xff\x00"])
        try:
            database.execute(f"update {table} set {rng.choice(columns)} = ?", (value,))
        except sqlite3.IntegrityError:
            return
        finally:
            database.commit()
    database.close()


def _orderly(done: Completed) -> Completed:
    assert done.code in (0, 1, 2, 3, 4), done
    assert "Traceback" not in done.err, done
    if done.code == 2:
        assert "error: " in done.err.lower()
    return done


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


VALUES: list[Any] = [None, True, -1, 0, 3, 10**40, 0.5, float("inf"), "", "-", "x\n\x1b", [], {}]


def _with_another_value(content: bytes, rng: Random) -> bytes:
    """JSON with another value somewhere in it, or without some part."""
    document = json.loads(content)
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                collect(node[key])

    collect(document)
    node, key = rng.choice(places)
    if rng.randrange(3):
        other, another = rng.choice(places)
        node[key] = json.loads(json.dumps(rng.choice([*VALUES, other[another]])))
    else:
        del node[key]
    return json.dumps(document).encode()
