"""Task definitions, property files, manifests and sets: what they say, and what is wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import tepui
from tepui.errors import InputError, UsageError
from tepui.tasks import Counts, Task, read_manifest, read_tasks
from tepui.tasks.definition import read_definition
from tepui.tasks.properties import Asked, property_questions, read_property_file

PROGRAM = """\
decl x := 0;
void reach_error() { }
void worker() { E: x := 1; assert(x); if (!x) { reach_error(); } }
void main() { thread_create(worker, 1); }
"""

TASK = """\
format_version: '2.0'
input_files: 'a.bp'
properties:
  - property_file: p/unreach-call.prp
    expected_verdict: true
  - property_file: p/no-deadlock.prp
    expected_verdict: false
    subproperty: deadlock
options:
  language: BP
  threads:
    worker: 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.bp").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "s.pds").write_text("1\n1 2\n", encoding="utf-8")
    (tmp_path / "q.cpds").write_text("initial q\nthread P {\n    stack a\n}\n", encoding="utf-8")
    (tmp_path / "p").mkdir()
    for name, formula in (
        ("unreach-call", "G ! call(reach_error())"),
        ("no-deadlock", "G ! deadlock"),
        ("assert", "G assert"),
    ):
        text = f"CHECK( init(main()), LTL({formula}) )\n\n"
        (tmp_path / "p" / f"{name}.prp").write_text(text, encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str, name: str = "t.yml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_definition_gives_a_task_for_each_property(folder: Path) -> None:
    first, second = read_tasks(written(folder, TASK))
    assert first == Task(
        "t.unreach-call",
        folder / "a.bp",
        folder / "p" / "unreach-call.prp",
        "safe",
        ("--threads", "worker=2"),
        source=folder / "t.yml",
        line=4,
    )
    assert (second.name, second.expected, second.line) == ("t.no-deadlock", "unsafe", 6)
    assert second.property_name == "no-deadlock"
    prp = str(folder / "p" / "no-deadlock.prp")
    options = ("--threads", "worker=2", "--property", prp)
    assert second.arguments == ("verify", str(folder / "a.bp"), *options)
    assert second.files == (folder / "a.bp", folder / "p" / "no-deadlock.prp")
    assert pickle.loads(pickle.dumps(first)) == first


@pytest.mark.parametrize("version", ["0.1", "1.0", "2.0", "2.1"])
@pytest.mark.parametrize("quoted", ["'{}'", "{}"])
def test_all_versions_of_the_format_are_read(folder: Path, version: str, quoted: str) -> None:
    text = f"format_version: {quoted.format(version)}\ninput_files: [a.bp]\n"
    (task,) = read_tasks(written(folder, text))
    assert (task.file, task.property_file, task.expected) == (folder / "a.bp", None, None)


def test_input_files_are_patterns_and_a_name_with_brackets_is_a_name(folder: Path) -> None:
    (folder / "b[1].bp").write_text(PROGRAM, encoding="utf-8")
    text = "format_version: 2.0\ninput_files: {}\n"
    assert read_definition(written(folder, text.format("'[ab].bp'"))).file == folder / "a.bp"
    assert read_definition(written(folder, text.format("'b[1].bp'"))).file == folder / "b[1].bp"


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "[x] $HOME"
    folder.mkdir()
    (folder / "a.bp").write_text(PROGRAM, encoding="utf-8")
    text = "format_version: 2.0\ninput_files: '*.bp'\n"
    assert read_definition(written(folder, text)).file == folder / "a.bp"


def test_files_that_go_with_a_model_may_be_input_files(folder: Path) -> None:
    for suffix in (".init", ".spec", ".mch"):
        (folder / f"s{suffix}").write_text("", encoding="utf-8")
    text = "format_version: 2.0\ninput_files: ['s.*']\noptions: {init: '0|1'}\n"
    (task,) = read_tasks(written(folder, text))
    assert task.options == ("--init", "0|1")
    assert [file.suffix for file in task.files] == [".pds", ".init", ".spec"]


BROKEN = {
    "a: [": (1, 5, "this is not YAML"),
    "- a": (1, 1, "expected a task definition, found a list"),
    "input_files: a.bp": (1, 1, "expected a key format_version"),
    "format_version: 3": (1, 17, "unknown version 3"),
    "format_version: 2.0": (1, 1, "expected a key input_files"),
    "format_version: [2.0]": (1, 17, "expected a version, found a list"),
    "format_version: 1.0\noptions: {}\ninput_files: a.bp": (
        2,
        10,
        "options need format_version 2.0",
    ),
    "format_version: 2.0\nformat_version: 2.0": (2, 1, "the key 'format_version' occurs twice"),
    "format_version: 2.0\ninput_files: b.bp": (2, 14, "there is no such file: b.bp"),
    "format_version: 2.0\ninput_files: [a.bp, q.cpds]": (2, 21, "a second model, q.cpds"),
    "format_version: 2.0\ninput_files: [a.bp, p/assert.prp]": (2, 21, "goes with no model"),
    "format_version: 2.0\ninput_files: p/assert.prp": (2, 14, "expected a model"),
    "format_version: 2.0\ninput_files: {}": (2, 14, "found a mapping"),
    "format_version: 2.0\ninput_files:": (2, 13, "found nothing"),
    "format_version: 2.0\ninput_files: a.bp\nproperties: x": (
        3,
        13,
        "expected a list of properties",
    ),
    "format_version: 2.0\ninput_files: a.bp\nproperties: [x]": (3, 14, "expected a property"),
    "format_version: 2.0\ninput_files: a.bp\nproperties: [{}]": (
        3,
        14,
        "expected a key property_f",
    ),
    "format_version: 2.0\ninput_files: a.bp\nproperties: [{property_file: p/*.prp}]": (
        3,
        30,
        "stands for 3 files",
    ),
    "format_version: 2.0\ninput_files: a.bp\n"
    "properties: [{property_file: p/assert.prp}, {property_file: p/./assert.prp}]": (
        3,
        61,
        "the property assert.prp occurs twice",
    ),
    "format_version: 2.0\ninput_files: a.bp\n"
    "properties: [{property_file: p/assert.prp, expected_verdict: maybe}]": (
        3,
        62,
        "expected true or false, found 'maybe'",
    ),
    "format_version: 2.0\ninput_files: a.bp\noptions: {language: C}": (3, 21, "not C"),
    "format_version: 2.0\ninput_files: a.bp\noptions: {threads: {w: x}}": (
        3,
        24,
        "a number of thr",
    ),
    "format_version: 2.0\ninput_files: a.bp\nrequired_files: b": (3, 17, "there is no such file"),
    "format_version: 2.0\nx: *a": (2, 4, "undefined alias"),
    "": (0, 0, "the file is empty"),
    "[" * 1500: (0, 0, "nested too deeply"),
    "\0": (0, 0, "this is not YAML"),
}


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:60])
def test_a_broken_definition_is_refused_with_its_place(folder: Path, text: str) -> None:
    line, column, message = BROKEN[text]
    with pytest.raises(InputError) as raised:
        read_tasks(written(folder, text))
    assert (raised.value.line, raised.value.column) == (line, column)
    assert message in raised.value.message


PROPERTIES = {
    "G ! call(reach_error())": Asked("call", "reach_error"),
    "G!call( __VERIFIER_error ( ) )": Asked("call", "__VERIFIER_error"),
    "G ! label(ERROR)": Asked("label", "ERROR"),
    "G assert": Asked("assertions"),
    "G ! deadlock": Asked("deadlock"),
    "G ! data-race": Asked("race"),
    "G ! overflow": Asked("overflow"),
}


@pytest.mark.parametrize("formula", PROPERTIES)
def test_what_a_property_file_asks(tmp_path: Path, formula: str) -> None:
    text = f"// a comment\n\n  CHECK( init(main()), LTL({formula}) )\n"
    assert read_property_file(written(tmp_path, text, "x.prp")) == [PROPERTIES[formula]]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("CHECK( init(main()), LTL(G valid-free) )", 26, "not for Boolean programs"),
        ("CHECK( init(main()), LTL(F end) )", 26, "whether a program terminates"),
        ("CHECK( init(main()), LTL(G X) )", 26, "unknown formula G X"),
        ("COVER( init(main()), FQL(COVER EDGES) )", 1, "expected CHECK("),
        ("  nonsense", 3, "expected CHECK("),
    ],
)
def test_other_properties_are_refused_with_the_reason(
    tmp_path: Path, text: str, column: int, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read_property_file(written(tmp_path, text, "x.prp"))
    assert (raised.value.line, raised.value.column) == (1, column)
    assert message in raised.value.message


def test_a_property_file_that_asks_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file asks nothing"):
        read_property_file(written(tmp_path, "# nothing\n", "x.prp"))


def questions(folder: Path, formula: str) -> list[str]:
    program = tepui.load(folder / "a.bp")
    assert isinstance(program, tepui.Program)
    file = written(folder, f"CHECK( init(main()), LTL({formula}) )", "x.prp")
    return [question.text for question in property_questions(program, file)]


def test_properties_become_questions_about_a_program(folder: Path) -> None:
    assert questions(folder, "G ! call(reach_error())") == ["reach_error() is unreachable (a.bp:2)"]
    assert questions(folder, "G ! call(E())") == ["E is unreachable (a.bp:3)"]
    assert questions(folder, "G ! label(E)") == ["E is unreachable (a.bp:3)"]
    assert questions(folder, "G assert") == ["assert(x) at a.bp:3"]
    assert questions(folder, "G ! deadlock") == ["no deadlock"]
    with pytest.raises(UsageError, match="neither a procedure nor a label"):
        questions(folder, "G ! call(f())")


def test_a_procedure_is_reached_if_it_is_called_even_if_it_is_empty(folder: Path) -> None:
    program = tepui.load(folder / "a.bp")
    assert isinstance(program, tepui.Program)
    called = tepui.verify(program, tepui.unreachable(program, "worker()"))
    assert called.verdict == "unsafe"
    assert [len(points) for points in tepui.unreachable(program, "worker()").places] == [1]
    assert tepui.verify(program, tepui.unreachable(program, "reach_error()")).verdict == "safe"
    (folder / "a.bp").write_text(PROGRAM.replace("!x", "x"), encoding="utf-8")
    program = tepui.load(folder / "a.bp")
    assert isinstance(program, tepui.Program)
    assert tepui.verify(program, tepui.unreachable(program, "reach_error()")).verdict == "unsafe"
    with pytest.raises(UsageError, match="has no procedure reach_eror; did you mean 'reach_error'"):
        tepui.unreachable(program, "reach_eror()")


MANIFEST = """\
file\ttask\trole\texpected\toptions
a.bp\tone\tmain\tsafe\t--threads 'worker=2'
s.pds\ttwo\tmain\tk=7 visible=751 global=1010; target unsafe at 4\t
q.cpds\tthree\tmain\tk=2 visible=20 global=infinite\t
q.cpds\tthree\tmain\tvalue: whatever\t
a.bp\tfive\tmain\tk=3 visible=9\t
s.init\ttwo\taux\tunknown\t
q.cpds\tthree\tvariant\tunknown\t
q.json\tother\tmain\tunknown\t
"""


def test_a_manifest_lists_models_with_what_is_known(folder: Path) -> None:
    one, two, three, four, five = read_tasks(written(folder, MANIFEST, "MANIFEST.tsv"))
    assert (one.expected, one.options, one.command) == ("safe", ("--threads", "worker=2"), "verify")
    assert (two.expected, two.counts) == ("unsafe", Counts(7, 751, 1010))
    assert (three.command, three.expected, three.counts) == ("explore", None, Counts(2, 20, None))
    assert (three.name, four.name) == ("three.cpds", "three.cpds#2")
    assert four.counts is None
    assert (five.command, five.counts) == ("explore", Counts(3, 9))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("name\na.bp", (1, 1), "one of them file"),
        ("file\texpected\na.bp", (2, 1), "expected 2 columns, found 1"),
        ("file\texpected\nb.bp\tsafe", (2, 1), "there is no such file: b.bp"),
        ("file\texpected\na.bp\tsfae", (2, 6), "expected safe, unsafe, unknown"),
        ("file\toptions\na.bp\t'x", (2, 6), "a quotation mark"),
        ("", (1, 1), "one of them file"),
    ],
)
def test_a_broken_manifest_is_refused_with_its_place(
    folder: Path, text: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read_manifest(written(folder, text, "m.tsv"))
    assert (raised.value.line, raised.value.column) == place
    assert message in raised.value.message


def test_a_folder_has_the_tasks_of_its_definitions_and_manifests(folder: Path) -> None:
    written(folder, TASK)
    written(folder, "unrelated: true\n", "mkdocs.yml")
    (folder / "p" / "b.bp").write_text(PROGRAM, encoding="utf-8")
    written(folder / "p", "file\nb.bp\n", "MANIFEST.tsv")
    names = [task.name for task in read_tasks(folder)]
    assert names == ["p/b.bp", "t.unreach-call", "t.no-deadlock"]


def test_a_folder_without_definitions_has_its_models_as_tasks(folder: Path) -> None:
    (folder / "s.spec").write_text("0|1", encoding="utf-8")
    (folder / ".hidden.bp").write_text(PROGRAM, encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "b.bp").write_text(PROGRAM, encoding="utf-8")
    found = [(task.name, task.command) for task in read_tasks(folder)]
    assert found == [("a", "verify"), ("q", "explore"), ("s", "verify")]


def test_a_name_that_looks_like_an_option_is_none() -> None:
    assert Task("x", Path("-x.bp")).arguments == ("verify", "./-x.bp")


def test_a_set_lists_patterns(folder: Path) -> None:
    written(folder, TASK)
    (task, *others) = read_tasks(written(folder, "# models\n\n*.bp\nt.yml\n", "x.set"))
    assert (task.name, [each.name for each in others]) == ("a", ["t.unreach-call", "t.no-deadlock"])
    with pytest.raises(InputError, match=r"x.set:2:1: there is no such file"):
        read_tasks(written(folder, "a.bp\nb.bp\n", "x.set"))
    with pytest.raises(InputError, match="neither a task definition nor a model"):
        read_tasks(written(folder, "p/assert.prp\n", "x.set"))


@pytest.mark.parametrize("name", ["nothing", "p/assert.prp", "p", "x" * 300, "a\0b"])
def test_what_has_no_tasks_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(InputError):
        read_tasks(folder / name)


def test_a_definition_can_be_loaded_from_python(folder: Path) -> None:
    program = tepui.load(written(folder, TASK))
    assert isinstance(program, tepui.Program)
    assert [thread.count for thread in program.threads] == [2]
    other = tepui.load(folder / "t.yml", threads={"worker": 3})
    assert isinstance(other, tepui.Program)
    assert [thread.count for thread in other.threads] == [3]


def test_the_public_manifests_are_read(public_suite: Path) -> None:
    groups = (read_tasks(public_suite.parents[1] / group) for group in ("bp", "pds"))
    tasks = [task for group in groups for task in group]
    assert all(task.file.is_file() for task in tasks)
    assert len({task.name for task in tasks}) == len(tasks) > 90
    expected = [task.expected for task in tasks]
    assert (expected.count("safe"), expected.count("unsafe")) == (14, 20)
