"""What new users stumbled over: misspelt names, files of unknown kinds, standard input, pictures,
places, warnings, infinite costs. Each is tried as it is typed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import tepui
from support.cli import FIGURE4, call, run
from support.places import EXAMPLES, ROOT

BLUETOOTH1 = str(EXAMPLES / "bluetooth1.bp")
PETERSON = str(EXAMPLES / "peterson.bp")
WEIGHTED = str(EXAMPLES / "wpds-figure7.json")

NAMES = [
    # Commands, options and their values.
    (["vrify", FIGURE4], "verify"),
    (["verify", FIGURE4, "--propery", "deadlock"], "--property"),
    (["suite", "--tiemout", "3"], "--timeout"),
    (["--verson"], "--version"),
    (["verify", FIGURE4, "--property", "dedlock"], "deadlock"),
    (["verify", BLUETOOTH1, "--property", "asertions"], "assertions"),
    (["verify", FIGURE4, "--engine", "diagramm"], "diagram"),
    (["verify", FIGURE4, "--symmetry", "of"], "off"),
    (["verify", FIGURE4, "--z", "mached"], "matched"),
    (["verify", FIGURE4, "--z", "mached:2"], "matched"),
    (["verify", FIGURE4, "--language", "cpd"], "cpds"),
    (["dataflow", BLUETOOTH1, "--at", "24", "--domain", "relatoin"], "relation"),
    # What a program has.
    (["verify", BLUETOOTH1, "--threads", "ad=2"], "add"),
    (["verify", BLUETOOTH1, "--unreachable", "incc"], "inc()"),
    (["verify", BLUETOOTH1, "--unreachable", "incc()"], "inc"),
    (["verify", PETERSON, "--unreachable", "crtical"], "critical"),
    (["verify", PETERSON, "--unreachable", "process:crtical"], "critical"),
    (["verify", PETERSON, "--never-together", "critical", "critcal"], "critical"),
    (["dataflow", PETERSON, "--at", "process(0):crtical"], "critical"),
    (["dataflow", PETERSON, "--at", "procss:critical"], "process"),
    (["dataflow", BLUETOOTH1, "--at", "inc:24", "--called-from", "ad:38"], "add"),
    (["inspect", BLUETOOTH1, "--dot", "--procedure", "ad"], "add"),
    # What a system has.
    (["verify", FIGURE4, "--target", "q00|1,4"], "q0"),
    (["verify", FIGURE4, "--target", "dedlock"], "deadlock"),
    (["verify", FIGURE4, "--init", "q00|1,4"], "q0"),
    (["verify", FIGURE4, "--reach", "q00|1,4"], "q0"),
    (["automaton", FIGURE4, "--thread", "P11"], "P1"),
    (["automaton", FIGURE4, "--thread", "P1", "--from", "<q00, 1>"], "q0"),
    (["dataflow", FIGURE4, "--at", "P11:2"], "P1"),
    (["weigh", WEIGHTED, "--from", "<p11, a>"], "p1"),
    # Files.
    (["verify", str(EXAMPLES / "figure4.cpd")], "figure4.cpds"),
    (["suite", str(EXAMPLES), "--store", "no.sqlite", "--only", "petrson"], "peterson.bp"),
]


@pytest.mark.parametrize(("args", "meant"), NAMES, ids=lambda value: str(value)[-60:])
def test_a_misspelt_name_on_the_command_line_gets_a_hint(
    args: list[str], meant: str, tmp_path: Path
) -> None:
    done = call(*args, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f"; did you mean '{meant}'?" in done.err


PROGRAM = "decl g := 0;\nvoid work(x) {{ decl local; L: skip; {} }}\nvoid main() {{ work(1); }}\n"


@pytest.mark.parametrize(
    ("statement", "meant"),
    [
        ("wiat(g);", "wait"),
        ("asert(g);", "assert"),
        ("asume(g);", "assume"),
        ("jion(g);", "join"),
        ("thread_crate(work);", "thread_create"),
        ("workk(1);", "work"),
        ("g := lcal;", "local"),
        ("g := ture;", "true"),
        ("goto LL;", "L"),
        ("atomc { skip; }", "atomic"),
        ("whle (g) skip;", "while"),
        ("iff (g) { skip; }", "if"),
        ("if (g) skip; els skip;", "else"),
        ("retrun;", "return"),
        ("gto L;", "goto"),
        ("skp;", "skip"),
        ("g := asnc work(1);", "async"),
    ],
)
def test_a_misspelt_word_in_a_program_gets_a_hint(statement: str, meant: str) -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(PROGRAM.format(statement), "bp")
    assert refused.value.message.endswith(f"; did you mean '{meant}'?")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("dcl g;\nvoid main() { skip; }", "decl"),
        ("vod main() { skip; }", "void"),
        ("decl g: itn 0..1;\nvoid main() { skip; }", "int"),
        ("decl g: itn32;\nvoid main() { skip; }", "int32"),
        ("boool f() { return 1; }\nvoid main() { skip; }", "bool"),
        ("void mian() { skip; }", "mian"),
        ("decl g;\nvoid main() begin\n asume(g);\nend\n", "assume"),
        ("decl g;\nvoid main() begin\n retrn;\nend\n", "return"),
    ],
)
def test_so_does_one_outside_of_statements(text: str, meant: str) -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(text, "bp")
    assert refused.value.message.endswith(f"; did you mean '{meant}'?")


def test_a_name_of_one_letter_is_like_no_keyword() -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(PROGRAM.format("f();"), "bp")
    assert refused.value.message == "expected a procedure, found 'f'"


DECLARED = "decl g := 0, y: int 0..3;\nbool f(x) {{ return x; }}\nvoid main() {{ {} }}\n"
CALL = "; a call is a statement of its own, as in 't := f(x);'"
LOOP = "; write 'for (i := 0; i < n; i++) { … }', with 'decl i: int32;' before it"
ELSE = "; write 'else if (x) { … }'"
TAKEN = "; a lock is taken with 'atomic { wait(!m); m := 1; }', see docs/modelling.md"
RELEASED = "; a lock is released with 'm := 0;', see docs/modelling.md"
CREATED = "; a thread is created as in 'thread_create(f);'"


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("break;", "expected 'break' inside a loop or a 'switch', found it outside"),
        ("continue;", "expected 'continue' inside a loop, found it outside"),
        ("repeat { skip; } until (g);", "; write 'do { … } while (!x);'"),
        ("for (int i = 0; i < 3; i++) { skip; }", LOOP),
        ("foreach (y) { skip; }", "; write 'for (i := 0; i < n; i++) { … }'"),
        ("for y in range(3): skip;", LOOP),
        ("if (y == 1) then skip;", "; leave out 'then', as in 'if (x) { … }'"),
        ("if (g) skip; elif (g) skip;", ELSE),
        ("if (g) skip; elsif (g) { skip; }", ELSE),
        ("pass;", "; write 'skip;' for 'pass'"),
        ("y := f(1) + 1;", CALL),
        ("y := 1 + f(1);", CALL),
        ("if (f(1)) skip;", CALL),
        ("if (f(1) == 1) skip;", CALL),
        ("return f(1);", CALL),
        ("f(f(1));", CALL),
        ("g := g and g;", "; write '&&' for 'and'"),
        ("if (g or g) skip;", "; write '||' for 'or'"),
        ("g := not g;", "; write '!' for 'not'"),
        ("g := not(g);", "; write '!' for 'not'"),
        ("if (not (g)) skip;", "; write '!' for 'not'"),
        ("y := y++;", "; counting is a statement of its own, as in 'x++;'"),
        ("g := y = 'a';", "; there are no characters: write the number"),
        ("skip; # a comment", "; a comment begins with '//'"),
        ("create_thread(f);", CREATED),
        ("pthread_create(f);", CREATED),
        ("lock(g);", TAKEN),
        ("lock(&g);", TAKEN),
        ("acquire(g);", TAKEN),
        ("unlock(g);", RELEASED),
        ("pthread_mutex_unlock(&g);", RELEASED),
        ("f(&g);", "; there are no pointers: an index can stand for one"),
    ],
)
def test_a_habit_of_other_languages_gets_a_hint(statement: str, hint: str) -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(DECLARED.format(statement), "bp")
    assert refused.value.message.endswith(hint)


@pytest.mark.parametrize(
    "statement",
    [
        "while (1) { break; }",
        "do { skip; } while (g);",
        "for (;;) { skip; }",
        "for (y := 0; y < 3; y := y + 1) { if (g) continue; }",
        "y := y % 2;",
        "y := y / 2;",
    ],
)
def test_some_habits_are_right(statement: str) -> None:
    assert tepui.loads(DECLARED.format(statement), "bp")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("int x := 0;", "'decl x: int 0..7 := 0;'"),
        ("int x = 9;", "'decl x: int 0..9 := 9;'"),
        ("int x = -2;", "'decl x: int -2..7 := -2;'"),
        ("int x;", "'decl x: int 0..7;'"),
        ("bool x := 0;", "'decl x: bool := 0;'"),
        ("decl int x;", "'decl x: int 0..7;'"),
        ("decl int x := 1;", "'decl x: int 0..7 := 1;'"),
        ("decl bool x;", "'decl x: bool;'"),
        ("decl x[3];", "; an array is declared as in 'decl x: bool[3];'"),
        (
            "decl x: mutex;",
            "; the types are bool, int 0..7, int32 and the like, enum {A, B} and thread, "
            "and arrays such as bool[3]",
        ),
        ("void f(int n) { skip; }", "comes after its name, as in 'n: int 0..3'"),
        ("void f(x, bool b) { skip; }", "comes after its name, as in 'b: bool'"),
    ],
)
def test_so_does_one_in_a_declaration(text: str, hint: str) -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(f"{text}\nvoid main() {{ skip; }}\n", "bp")
    assert refused.value.message.endswith(hint)
    declared = re.search(r"'(decl .*;)'$", refused.value.message)
    if declared:  # What a hint suggests is accepted.
        main = "void main() { assert(1); }"
        assert tepui.verify(tepui.loads(declared[1] + main, "bp")).verdict == "safe"


SYSTEM = """\
initial start
thread P {
    stack one
    start | one -> middle | two
    middle | two -> start | one
}
bad middle | two
"""


@pytest.mark.parametrize(
    ("right", "wrong", "hint"),
    [
        ("thread P", "thraed P", "found 'thraed'; did you mean 'thread'?"),
        ("initial", "intial", "found 'intial'; did you mean 'initial'?"),
        ("stack one", "stak one", "found 'one' after 'stak'; did you mean 'stack'?"),
    ],
)
def test_a_misspelt_word_in_a_system_gets_a_hint(right: str, wrong: str, hint: str) -> None:
    with pytest.raises(tepui.InputError) as refused:
        tepui.loads(SYSTEM.replace(right, wrong), "cpds")
    assert hint in refused.value.message


@pytest.mark.parametrize(
    ("right", "wrong", "warning"),
    [
        ("bad middle | two", "bad midle | two", "midle does not occur; did you mean 'middle'?"),
        ("bad middle | two", "bad middle | tow", "the symbol tow; did you mean 'two'?"),
        ("middle | two -> start", "midle | two -> start", "some lead to 'middle', which none"),
        ("middle | two -> start", "middle | twoo -> start", "'two' is put there, and no rule"),
        ("stack one", "stack won", "the top of the initial stack; did you mean 'one'?"),
    ],
)
def test_a_name_that_may_be_misspelt_gets_a_hint_in_its_warning(
    right: str, wrong: str, warning: str
) -> None:
    with pytest.warns(UserWarning, match=r"<text>") as warned:
        tepui.loads(SYSTEM.replace(right, wrong), "cpds")
    assert any(warning in str(each.message) for each in warned)


def test_names_in_python_get_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"'verfy'; did you mean 'verify'\?"):
        getattr(tepui, "verfy")  # noqa: B009 - a type checker would see it, too
    with pytest.raises(tepui.UsageError, match=r"'diagramm'; did you mean 'diagram'\?"):
        tepui.Options(engine="diagramm")
    with pytest.raises(tepui.UsageError, match=r"did you mean 'add'\?"):
        tepui.load(BLUETOOTH1, threads={"ad": 2})
    with pytest.raises(tepui.UsageError, match=r"did you mean 'cpds'\?"):
        tepui.loads(SYSTEM, "cpd")
    with pytest.raises(tepui.InputError, match=r"did you mean 'figure4.cpds'\?"):
        tepui.load(EXAMPLES / "figure4.cpd")
    domain: Any = "shortst"
    with pytest.raises(tepui.UsageError, match=r"did you mean 'shortest'\?"):
        tepui.dataflow(tepui.load(FIGURE4), "P1:2", domain=domain)


def test_numbers_are_not_misspelt() -> None:
    refused = call("dataflow", FIGURE4, "--at", "P1:22")
    assert "P1 has no stack symbol 22; its symbols are -, 1, 2" in refused.err


# Files and standard input.


def test_a_file_of_an_unknown_kind_is_told_which_kinds_there_are(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text(SYSTEM)
    refused = call("verify", "model.txt", cwd=tmp_path)
    assert refused.code == 2
    for part in (".bp and .nbp (Boolean program)", ".cpds (", ".pds (", ".yml", "with --language"):
        assert part in refused.err
    assert call("verify", "model.txt", "--language", "cpds", cwd=tmp_path).code == 1
    (tmp_path / "model.cpd").write_text(SYSTEM)
    assert "; did you mean '.cpds'?" in call("verify", "model.cpd", cwd=tmp_path).err
    assert "`tepui weigh` reads weighted systems" in call("verify", WEIGHTED).err
    assert "this is a Boolean program, expected a weighted system" in call("weigh", BLUETOOTH1).err


READING = [
    (["verify"], 1),
    (["explore"], 0),
    (["inspect"], 0),
    (["inspect", "--dot"], 0),
    (["report", "-o", "page.html"], 1),
    (["dataflow", "--at", "24"], 0),
]


@pytest.mark.parametrize(("args", "code"), READING, ids=str)
def test_a_dash_is_standard_input(args: list[str], code: int, tmp_path: Path) -> None:
    text = Path(BLUETOOTH1).read_text()
    done = call(args[0], "-", *args[1:], "--language", "bp", cwd=tmp_path, stdin=text)
    assert done.code == code
    plain = call(args[0], BLUETOOTH1, *args[1:], cwd=tmp_path)
    assert len(done.out.splitlines()) == len(plain.out.splitlines()) > 2
    assert done.out.split()[0] == plain.out.split()[0]


def test_other_commands_read_it_too(tmp_path: Path) -> None:
    program, system = Path(BLUETOOTH1).read_text(), Path(FIGURE4).read_text()
    written = call("convert", "-", "x.cpds", "--language", "bp", cwd=tmp_path, stdin=program)
    assert (written.code, written.out) == (0, "wrote x.cpds\n")
    assert call("format", "-", stdin="void main() {skip;}").out == "void main() {\n    skip;\n}\n"
    assert call("format", "-", "--check", stdin="void main() {skip;}").code == 1
    assert "standard input is none" in call("format", "-", "--write", stdin=program).err
    drawn = call("automaton", "-", "--language", "cpds", "--thread", "P1", stdin=system)
    assert drawn.out.startswith('digraph "<stdin>: P1"')
    weighed = call("weigh", "-", stdin=Path(WEIGHTED).read_text())
    assert weighed.out.splitlines()[:2] == ["reachable", "  weight    2"]
    given = ("--language", "pds", "--init", "0|0")
    assert call("explore", "-", *given, stdin="2\nPDA 0 1\n0 0 -> 1 1\n").code == 0


def test_evidence_and_reports_about_standard_input_are_complete(tmp_path: Path) -> None:
    text = Path(BLUETOOTH1).read_text()
    files = ("--evidence", "e.json", "--report", "r.html", "--sarif", "s.sarif", "--witness", "w")
    done = call("verify", "-", "--language", "bp", *files, cwd=tmp_path, stdin=text)
    assert "assert(!stopped) at <stdin>:40 can be violated" in done.out
    page = (tmp_path / "r.html").read_text()
    assert "pendingIo counts the threads in" in page  # A comment: the text itself is shown.
    assert "tepui verify - --language bp --evidence evidence.json" in page
    for file in ("-", BLUETOOTH1):
        language = ["--language", "bp"] if file == "-" else []
        checked = call("check", file, "e.json", *language, cwd=tmp_path, stdin=text)
        assert (checked.code, checked.out.split()[0]) == (0, "ACCEPTED")
    assert call("report", "-", "--language", "bp", cwd=tmp_path, stdin=text).code == 1
    assert (tmp_path / "stdin-report.html").exists()


def test_standard_input_is_read_from_a_pipe(tmp_path: Path) -> None:
    done = run("verify", "-", "--language", "cpds", "-q", input=Path(FIGURE4).read_text())
    assert (done.code, done.out.split(":")[0]) == (0, "SAFE  <stdin>")


def test_what_is_wrong_with_standard_input_is_told_by_its_name() -> None:
    assert "<stdin>: say what it is written in, such as --language bp" in call("verify", "-").err
    wrong = call("verify", "-", "--language", "bp", stdin="void main() { wiat(1); }")
    assert wrong.err.startswith("error: <stdin>:1:15: expected a procedure, found 'wiat'")
    assert (
        "<stdin> has no initial state"
        in call("verify", "-", "--language", "pds", stdin="1\nPDA 0 0\n").err
    )
    assert (
        "and <stdin> is a pushdown system"
        in call("verify", "-", "--language", "cpds", "--all", stdin=SYSTEM).err
    )


# Pictures.


def test_a_picture_is_written_beside_the_answer(tmp_path: Path) -> None:
    for args in (["inspect", FIGURE4], ["inspect", BLUETOOTH1, "--calls"]):
        picture = tmp_path / "picture.svg"
        done = call(*args, "--svg", str(picture))
        assert done.out == call(*args[:2]).out
        assert done.err == f"the picture was written to {picture}\n"
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    both = call("automaton", FIGURE4, "--thread", "P1", "--dot", "--svg", str(picture))
    assert both.out == call("automaton", FIGURE4, "--thread", "P1").out


def test_a_picture_is_refused_as_a_sarif_log_is(tmp_path: Path) -> None:
    (tmp_path / "a.cpds").write_text(SYSTEM)
    (tmp_path / "other.bp").write_text("")
    for place in ("-", "no/folder/x", str(tmp_path), "a.cpds", "other.bp"):
        log = call("verify", "a.cpds", "--sarif", place, cwd=tmp_path)
        picture = call("inspect", "a.cpds", "--svg", place, cwd=tmp_path)
        assert (log.code, picture.code, picture.out) == (2, 2, "")
        said = log.err.replace("--sarif", "--svg").replace("the SARIF log", "the picture")
        assert picture.err == said


# Places, evidence, warnings, weights, traces.


def test_dataflow_takes_the_places_that_unreachable_takes() -> None:
    for place in ("48", "stop:48", "bluetooth1.bp:48", "inc()", "inc:24", "add()"):
        assert call("verify", BLUETOOTH1, "--unreachable", place).code in (0, 1)
        assert call("dataflow", BLUETOOTH1, "--at", place).code == 0
    assert call("dataflow", BLUETOOTH1, "--at", "48").out.startswith("stop at line 48")
    several = call("dataflow", PETERSON, "--at", "critical")
    assert several.code == 2
    assert (
        "(process(0), process(1)); say which one is meant, such as process(0):critical"
        in several.err
    )
    assert call("dataflow", PETERSON, "--at", "process(0):critical").code == 0


def test_check_names_the_threads_that_differ(tmp_path: Path) -> None:
    call("verify", BLUETOOTH1, "--threads", "add=2", "--evidence", "e.json", cwd=tmp_path)
    refused = call("check", BLUETOOTH1, "e.json", cwd=tmp_path)
    assert refused.code == 2
    threads = "only the file has add.1, add.2; only bluetooth1 has add"
    assert f"{threads}; give --threads add=2\n" in refused.err
    with pytest.raises(tepui.InputError, match=r"; give threads=\{'add': 2\}$"):
        tepui.check(tepui.load(BLUETOOTH1), tmp_path / "e.json")
    both = call("check", BLUETOOTH1, "e.json", "--threads", "stop=3", cwd=tmp_path)
    assert "; give --threads add=2 --threads stop=1\n" in both.err
    document = json.loads((tmp_path / "e.json").read_text())
    document["threads"].reverse()
    (tmp_path / "e.json").write_text(json.dumps(document))
    turned = call("check", BLUETOOTH1, "e.json", "--threads", "add=2", cwd=tmp_path)
    assert "threads: are not those of bluetooth1: the order differs" in turned.err


def test_check_does_not_suggest_numbers_for_other_differences(tmp_path: Path) -> None:
    (tmp_path / "one.bp").write_text("void f() { assert(1); }\nvoid main() { thread_create(f); }\n")
    text = "void g() { assert(1); }\nvoid main() { thread_create(g); thread_create(g); }\n"
    (tmp_path / "two.bp").write_text(text)
    call("verify", "two.bp", "--evidence", "e.json", cwd=tmp_path)
    refused = call("check", "one.bp", "e.json", cwd=tmp_path)
    assert "only the file has g.1, g.2; only one has f\n" in refused.err
    fewer = text.replace("thread_create(g); thread", "thread_create(f); thread")
    (tmp_path / "more.bp").write_text("void f() { skip; }\n" + fewer)
    call("verify", "one.bp", "--evidence", "e.json", cwd=tmp_path)
    assert "only more has g\n" in call("check", "more.bp", "e.json", cwd=tmp_path).err


def test_rejected_evidence_gets_a_plain_sentence_first(tmp_path: Path) -> None:
    program = "decl x := 0;\nvoid main() {{ x := {}; x := 0; assert(!x); }}\n"
    (tmp_path / "a.bp").write_text(program.format(0))
    assert call("verify", "a.bp", "--evidence", "e.json", cwd=tmp_path).code == 0
    (tmp_path / "a.bp").write_text(program.format(1))
    rejected = call("check", "a.bp", "e.json", cwd=tmp_path)
    assert rejected.code == 1
    plain, reason = rejected.out.splitlines()
    assert plain == (
        "REJECTED  this evidence does not prove the answer for a.bp; "
        "was the program changed after it was written?"
    )
    told = call("check", "a.bp", "e.json", "--json", cwd=tmp_path)
    assert (told.code, told.json) == (1, {"verdict": "rejected", "reason": reason.strip()})
    other = call("check", "a.bp", "e.json", "--property", "deadlock", cwd=tmp_path)
    assert other.out.startswith("REJECTED  the evidence is about another property")


def test_a_file_that_does_not_exist_is_compared_with_those_like_it(tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text("{}")
    (tmp_path / "race.bp").write_text("")
    assert call("weigh", "nope.json", cwd=tmp_path).err.endswith("there is no such file\n")
    assert "did you mean 'race.bp'?" in call("verify", "rac.bp", cwd=tmp_path).err
    assert "did you mean 'race.bp'?" in call("verify", "race", cwd=tmp_path).err
    assert "did you mean" not in call("verify", "face-to-face.bp", cwd=tmp_path).err
    assert "nope.json: there is no such file\n" in call("check", FIGURE4, "nope.json").err


def test_the_message_about_an_option_of_another_command_names_the_command() -> None:
    refused = call("explore", BLUETOOTH1, "--property", "deadlock")
    assert refused.code == 2
    assert "no option '--property'; --property is an option of verify, check" in refused.err
    assert " and report\n" in refused.err
    assert "--domain is an option of dataflow\n" in call("verify", FIGURE4, "--domain").err


def test_several_thread_types_are_given_one_by_one() -> None:
    refused = call("verify", BLUETOOTH1, "--threads", "add=2,stop=2")
    assert refused.code == 2
    assert (
        "give --threads once for each type, as in --threads add=2 --threads stop=2" in refused.err
    )


def test_a_place_may_begin_with_a_thread_or_a_procedure() -> None:
    refused = call("dataflow", BLUETOOTH1, "--at", "c:8")
    assert (
        "no thread and no procedure c; the threads and procedures are stop, add, inc, dec\n"
        in refused.err
    )


def test_wrong_arguments_in_python_get_a_sentence() -> None:
    wrong: Any = "add=2"
    with pytest.raises(tepui.UsageError, match=r"load takes a dictionary such as \{'worker': 2\}"):
        tepui.load(BLUETOOTH1, threads=wrong)
    program: Any = tepui.load(BLUETOOTH1)
    others: list[Any] = [program, 3, ["x"]]
    for each in others:
        with pytest.raises(tepui.UsageError, match=r"plot takes a result of tepui\.verify"):
            tepui.plot(each)
    with Path(BLUETOOTH1).open() as file:
        opened: Any = file
        with pytest.raises(tepui.UsageError, match=r"tepui\.load\(path\) reads a file"):
            tepui.loads(opened, "bp")
    limits: Any = tepui.Limits(timeout=3)
    for run_it in (tepui.verify, tepui.explore, tepui.verify_all):
        with pytest.raises(tepui.UsageError, match=r"tepui\.Options\(…\) as options, not Limits; "):
            run_it(program, options=limits)


def test_a_warning_is_given_once(tmp_path: Path) -> None:
    body = "\n".join(["g, g := 0, 1;"] * 18)
    (tmp_path / "twice.bp").write_text(f"decl g;\nvoid main() {{\n{body}\nassert(g);\n}}\n")
    for args in (["verify"], ["verify", "--all"], ["report"], ["explore"]):
        done = call(args[0], "twice.bp", *args[1:], cwd=tmp_path)
        assert done.err.count("warning: ") == 1
        assert "twice.bp:3: 'g' is assigned twice; the last value counts" in done.err
        assert "(also on lines 4, 5, 6, …)" in done.err


def test_equal_warnings_name_their_threads_together(tmp_path: Path) -> None:
    blocks = "".join(
        f"thread P{n} {{\nstack a\nq | b -> q | a\nq | a -> q | e{n}\n}}\n" for n in range(3)
    )
    (tmp_path / "a.cpds").write_text(f"initial q\n{blocks}")
    done = call("inspect", "a.cpds", cwd=tmp_path)
    assert done.err == (
        "warning: a.cpds: threads P0, P1, P2: rules take 'b', but nothing ever puts it on top of "
        "the stack\n"
    )


@pytest.mark.parametrize("question", [[], ["--unreachable", "never"]], ids=str)
def test_a_converted_file_does_not_warn_about_its_own_target(
    question: list[str], tmp_path: Path
) -> None:
    text = "decl g := 0;\nvoid main() { g := 0; assert(!g); if (g) { never: skip; } }\n"
    (tmp_path / "safe.bp").write_text(text)
    assert call("convert", "safe.bp", "safe.cpds", *question, cwd=tmp_path).err == ""
    done = call("verify", "safe.cpds", "-q", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    (tmp_path / "two.pds").write_text("3\nPDA 0 1\n0 0 -> 1 1\n")
    (tmp_path / "two.init").write_text("0|0\n")
    (tmp_path / "two.spec").write_text("2|7\n")
    assert "never match" in call("convert", "two.pds", "two.cpds", cwd=tmp_path).err
    assert call("verify", "two.cpds", "-q", cwd=tmp_path).err == ""
    again = call("convert", "two.cpds", "again.cpds", cwd=tmp_path)
    assert (again.code, again.err) == (0, "")
    lines = [(tmp_path / name).read_text().splitlines()[1:] for name in ("two.cpds", "again.cpds")]
    assert lines[0] == lines[1]


def test_an_infinite_cost_is_written_in_json(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "weighted.schema.json").read_text())
    none = call("weigh", WEIGHTED, "--to", "<p1, b>", "--json")
    assert (none.code, none.json["reachable"], none.json["weight"]) == (0, False, "∞")
    jsonschema.validate(none.json, schema)
    loop = {"pda": {"states": {"p": {"X": {"to": "p", "pop": "", "weight": -1}}}}}
    (tmp_path / "f.json").write_text(
        json.dumps({**loop, "initial": "< p, [X]+ >", "final": "< p, >"})
    )
    least = call("weigh", "f.json", "--json", cwd=tmp_path)
    assert (least.code, least.json["reachable"], least.json["weight"]) == (2, True, "-∞")
    jsonschema.validate(least.json, schema)
    assert "there is no cheapest run" in least.err


def test_a_thread_that_was_created_is_not_called_uncreated(tmp_path: Path) -> None:
    text = "void child() { skip; }\nvoid main() { thread_create(child, 2); L: skip; }\n"
    (tmp_path / "a.bp").write_text(text)
    done = call("verify", "a.bp", "--unreachable", "L", "-q", cwd=tmp_path)
    assert "child.1: not started yet" in done.out
    assert "created yet" not in done.out


def test_a_report_without_a_question_says_so(tmp_path: Path) -> None:
    file = tmp_path / "quiet.bp"
    file.write_text("void main() { skip; }\n", encoding="utf-8")
    done = call("report", str(file), "--output", str(tmp_path / "r.html"), cwd=tmp_path)
    assert done.code == 0
    assert "no question was asked, so the report has no verdict; --property deadlock" in done.err
