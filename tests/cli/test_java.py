"""Java on the command line: files, entries, options, and how they end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import TEPUI, Completed, call
from support.java import compiled
from support.samples.java_programs import CALM, RACY, jdk_with, package
from support.schemas import schema

CELLS = """\
class Cells {
    private final int[] cells = new int[2];

    void inside(boolean second) {
        cells[second ? 1 : 0] = 1;
    }

    void outside(boolean second) {
        cells[second ? 2 : 0] = 1;
    }

    native void strange();

    void stuck() throws InterruptedException {
        synchronized (this) {
            wait();
        }
    }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources and class files."""
    made = tmp_path_factory.mktemp("java")
    for name, text in (("Racy", RACY), ("Calm", CALM), ("Cells", CELLS)):
        (made / f"{name}.java").write_text(text, encoding="utf-8")
    (made / "classes").mkdir()
    with zipfile.ZipFile(made / "app.jar", "w") as jar:
        for name, data in compiled(RACY).items():
            (made / "classes" / f"{name}.class").write_bytes(data)
            jar.writestr(f"{name}.class", data)
    package(made / "sources")
    return made


def tepui(folder: Path, *args: str, stdin: str = "") -> Completed:
    return call(*args, cwd=folder, stdin=stdin)


@pytest.mark.parametrize(
    "file", ["Racy.java", "classes/Racy.class", "classes", "app.jar"], ids=lambda name: name
)
def test_a_racy_program_is_unsafe_whatever_it_is_in(folder: Path, file: str) -> None:
    done = tepui(folder, "verify", file)
    assert done.code == 1
    first, *others = done.out.splitlines()
    where = r"Racy.java:9"
    assert re.fullmatch(
        rf"UNSAFE  Racy.java: .* at {where}( .*)? can be violated, with 3 contexts", first
    )
    assert "  open      no deadlock" in others


def test_a_calm_program_is_safe_and_says_what_that_means(folder: Path) -> None:
    done = tepui(folder, "verify", "Calm.java")
    assert (done.code, done.err) == (0, "")
    first, *others = done.out.splitlines()
    assert first.endswith("hold, for any number of contexts, under sequential consistency")
    assert "  assumes   it begins with Calm.main, with no arguments" in others
    assert not any(line.startswith("  unreached") for line in others)


def test_lines_that_nothing_reaches_are_told_in_the_order_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "Dead.java").write_text(
        """class Dead {
    static int count;
    static void step(int n) {
        if (n > 2)
            count = 7;
    }
    public static void main(String[] args) {
        step(1);
        if (count == 7)
            count++;
    }
}
"""
    )
    done = tepui(tmp_path, "verify", "Dead.java")
    assert "  unreached Dead.java:5 count = 7; Dead.java:10 count++\n" in done.out


def test_a_trace_is_told_in_statements_of_the_user(folder: Path) -> None:
    lines = tepui(folder, "verify", "Racy.java").out.splitlines()
    told = lines[lines.index("context 1: thread main") :]
    assert [re.sub(" +", " ", line) for line in told] == [
        "context 1: thread main",
        " Racy.java:5 Racy.main Thread other = new Thread(() -> count++);",
        " Racy.java:6 Racy.main other.start();",
        " Racy.java:7 Racy.main count++;",
        "context 2: thread Thread#1",
        " Racy.java:5 Racy.lambda$main$0 Thread other = new Thread(() -> count++); "
        "Racy.count: 0 -> 1",
        "context 3: thread main",
        " Racy.java:7 Racy.main … write Racy.count",
        " Racy.java:8 Racy.main other.join();",
        " Racy.java:9 Racy.main assert count == 2",
        "violated assert count == 2 at Racy.java:9",
    ]


def test_standard_input_is_a_source(folder: Path) -> None:
    done = tepui(folder, "verify", "-", "--language", "java", stdin=RACY)
    assert done.code == 1
    assert "assert count == 2 at <stdin>:9 can be violated" in done.out


@pytest.mark.parametrize(
    ("property_name", "code"),
    [("assertion", 1), ("exception", 0), ("bounds", 0), ("deadlock", 0), ("race", 1)],
)
def test_one_kind_can_be_asked_for(folder: Path, property_name: str, code: int) -> None:
    done = tepui(folder, "verify", "Racy.java", "--property", property_name)
    assert done.code == code, done


def test_each_entry_is_decided_by_itself(folder: Path) -> None:
    done = tepui(folder, "verify", "Cells.java", "--entry", "Cells.*")
    lines = [line.partition(":")[0] for line in done.out.splitlines()]
    assert lines == ["SAFE  Cells.inside", "UNSAFE  Cells.outside", "UNSAFE  Cells.stuck"]
    assert done.code == 1


def test_entries_can_be_given_one_by_one_and_as_json(folder: Path) -> None:
    names = ("inside", "Cells.in*", "stuck")
    options = [word for name in names for word in ("--entry", name)]
    done = tepui(folder, "verify", "Cells.java", *options, "--json")
    found = json.loads(done.out)
    assert (done.code, found["verdict"]) == (1, "unsafe")
    assert list(Draft202012Validator(schema("result")).iter_errors(found)) == []
    assert [(each["entry"], each["answer"]["verdict"]) for each in found["entries"]] == [
        ("Cells.inside", "safe"),
        ("Cells.stuck", "unsafe"),
    ]
    assert found["entries"][0]["answer"]["assumptions"][0]["kind"] == "model"


def test_traces_and_single_questions_of_several_entries(folder: Path) -> None:
    done = tepui(folder, "verify", "Cells.java", "--entry", "Cells.*side", "--traces")
    assert "violated  no index out of bounds" in done.out or "found" in done.out
    done = tepui(folder, "verify", "Cells.java", "--entry", "Cells.*side", "--all")
    assert {"Cells.inside", "Cells.outside"} <= set(done.out.splitlines())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("Cells.java",),
            "error: Cells.java: there is no main method; name a method to begin with",
        ),
        (("Cells.java", "--entry", "strange"), "has no method strange with code"),
        (("Cells.java", "--entry", "insid"), "did you mean 'inside'?"),
        (("Cells.java", "--entry", "No.*"), "error: --entry 'No.*': Cells.java has no such method"),
        (("Calm.java", "--init", "q"), "--init is for pushdown systems"),
        (("Calm.java", "--property", "overflow"), "those of Java wrap around"),
        (("Calm.java", "--threads", "main=2"), "--threads main=2: "),
        (("Calm.java", "--jdk", "classes"), "error: --jdk classes: this is no folder of a JDK"),
        (("Calm.java", "--classpath", "no.jar"), "--classpath no.jar: there is no such file"),
        (("none.java",), "error: none.java: there is no such file"),
        (("sources/org",), "there is no main method"),
        (("Cells.java", "--entry", "*", "--report", "x.html"), "are about one entry"),
        (("Cells.java", "--entry", "*", "--evidence", "x"), "are about one entry"),
        (("Cells.java", "--entry", "*", "--markers-to", "x"), "are about one entry"),
    ],
)
def test_wrong_use_is_one_sentence(folder: Path, args: tuple[str, ...], message: str) -> None:
    done = tepui(folder, "verify", *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", ["explore", "inspect", "report"])
def test_other_commands_take_one_entry(folder: Path, command: str) -> None:
    done = tepui(folder, command, "Cells.java", "--entry", "Cells.*")
    assert (done.code, done.out) == (2, "")
    assert "several entries, and patterns for them, are for verify" in done.err


@pytest.mark.parametrize("file", ["figure4.cpds", "flip.bp"])
def test_options_of_java_are_for_java(file: str) -> None:
    from support.places import EXAMPLES

    done = call("verify", str(EXAMPLES / file), "--entry", "main")
    assert done.code == 2
    assert "--entry is for Java programs" in done.err


def test_what_javac_says_has_file_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "Bad.java").write_text("class Bad {\n    int x = y;\n}\n", encoding="utf-8")
    done = tepui(tmp_path, "verify", "Bad.java")
    assert done.code == 2
    said = "cannot find symbol (symbol: variable y; location: class Bad)"
    assert done.err == (
        f"error: Bad.java:2:13: javac: {said}\n    2 |     int x = y;\n                    ^\n"
    )


def test_a_class_path_has_the_other_classes(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "Uses.java").write_text(
        "class Uses { public static void main(String[] words) { Calm.count = 1; assert false; } }",
        encoding="utf-8",
    )
    (tmp_path / "lib").mkdir()
    for name, data in compiled(CALM).items():
        (tmp_path / "lib" / f"{name}.class").write_bytes(data)
    assert tepui(tmp_path, "verify", "Uses.java").code == 2
    places = os.pathsep.join(["lib", str(folder / "app.jar")])
    assert tepui(tmp_path, "verify", "Uses.java", "--classpath", places).code == 1


def test_a_time_limit_ends_the_compiler(folder: Path, tmp_path: Path) -> None:
    slow = jdk_with(tmp_path / "slow", "exec sleep 5000.125")
    begin = time.monotonic()
    done = subprocess.run(
        [TEPUI, "verify", "Calm.java", "--jdk", str(slow), "--timeout", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, "unknown: the time limit of 1 s was reached\n")
    assert time.monotonic() - begin < 1000
    assert _running("5000.125") == []


def test_an_interruption_ends_the_compiler(folder: Path, tmp_path: Path) -> None:
    slow = jdk_with(tmp_path / "slow", f"touch {tmp_path}/begun; exec sleep 5000.25")
    process = subprocess.Popen(
        [TEPUI, "verify", "Calm.java", "--jdk", str(slow)],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "begun").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (3, "interrupted\n")
    assert _running("5000.25") == []


def _running(words: str) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if f"sleep {words}" in line]


def test_evidence_is_checked_again(folder: Path, tmp_path: Path) -> None:
    for name, code in (("Racy", 1), ("Calm", 0)):
        path = str(tmp_path / f"{name}.json")
        assert tepui(folder, "verify", f"{name}.java", "--evidence", path).code == code
        done = tepui(folder, "check", f"{name}.java", path)
        assert (done.code, done.out[:8]) == (0, "ACCEPTED"), done
    done = tepui(folder, "check", "Racy.java", str(tmp_path / "Calm.json"))
    assert done.code in (1, 2)


def test_files_for_other_tools(folder: Path, tmp_path: Path) -> None:
    names = {"--report": "r.html", "--sarif": "r.sarif", "--witness": "r.yml"}
    options = [word for name, file in names.items() for word in (name, str(tmp_path / file))]
    assert tepui(folder, "verify", "Racy.java", *options, "--json").code == 1
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Racy.java" in page
    assert '<span class="code-keyword">static</span>' in page
    assert "under sequential" not in page
    assert "sequential consistency, and races are not asked for" in page
    log = json.loads((tmp_path / "r.sarif").read_text(encoding="utf-8"))
    (result,) = [one for one in log["runs"][0]["results"] if one["kind"] == "fail"]
    (place,) = result["locations"]
    assert place["physicalLocation"]["region"]["startLine"] == 9
    assert len(result["properties"]["assumptions"]) == 5
    assert "language: Java" in (tmp_path / "r.yml").read_text(encoding="utf-8")


def test_a_task_definition_names_entries_and_classes(folder: Path) -> None:
    definition = folder / "cells.yml"
    definition.write_text(
        "format_version: '2.0'\ninput_files: Cells.java\n"
        "options:\n  language: Java\n  entry: Cells.inside\n  classpath: [classes]\n",
        encoding="utf-8",
    )
    assert tepui(folder, "verify", "cells.yml").code == 0
    assert tepui(folder, "verify", "cells.yml", "--entry", "outside").code == 1
    definition.unlink()


def test_a_suite_runs_sources_with_a_main_method(tmp_path: Path) -> None:
    for name, text in (("Racy", RACY), ("Calm", CALM), ("Cells", CELLS)):
        (tmp_path / f"{name}.java").write_text(text, encoding="utf-8")
    (tmp_path / "Racy.class").write_bytes(compiled(RACY)["Racy"])
    done = tepui(tmp_path, "suite", ".", "--json", "--store", str(tmp_path / "s.sqlite"))
    tasks = {Path(each["task"]).name: each["answer"] for each in json.loads(done.out)["outcomes"]}
    assert tasks == {"Racy": "unsafe", "Calm": "safe"}


def test_a_task_of_a_suite_may_have_several_entries(folder: Path, tmp_path: Path) -> None:
    definition = tmp_path / "cells.yml"
    definition.write_text(
        f"format_version: '2.0'\ninput_files: {folder}/Cells.java\n"
        "options: {language: Java, entry: [Cells.inside, 'Cells.s*']}\n",
        encoding="utf-8",
    )
    store = str(tmp_path / "s.sqlite")
    done = tepui(tmp_path, "suite", "cells.yml", "--json", "--store", store)
    (outcome,) = json.loads(done.out)["outcomes"]
    assert (outcome["answer"], outcome["bound"]) == ("unsafe", 1)
    assert outcome["detail"] == "no deadlock"


def test_exploration_and_inspection(folder: Path) -> None:
    done = tepui(folder, "explore", "Calm.java")
    assert done.code == 0
    assert "COLLAPSED  Calm.java: exactly " in done.out
    assert "Thread.java" not in done.out
    done = tepui(folder, "inspect", "Calm.java", "--json")
    assert {"main", "Thread#1"} == {each["name"] for each in json.loads(done.out)["threads"]}


def test_a_model_in_java_is_not_overwritten(folder: Path) -> None:
    done = tepui(folder, "verify", "Racy.java", "--evidence", "Calm.java")
    assert done.code == 2
    assert "its name says that it is a model" in done.err


INHERITING = """\
class Base { int one() { return 1; } }
interface Three { int three(); }
class Sub extends Base implements Cloneable { int two = 2; }
class Impl implements Three { public int three() { return 3; } }
public class Inherits {
    public static void main(String[] arguments) { assert new Sub().two == 2; }
    static void above() { assert new Sub().one() == 2; }
    static void through() { Three three = new Impl(); assert three.three() == 3; }
    static void among() { Object sub = new Sub(); assert sub instanceof Base; }
}
"""


@pytest.mark.parametrize(
    ("entry", "missing"),
    [("main", "Base"), ("main", "Sub"), ("above", "Base"), ("through", "Three"), ("among", "Base")],
)
def test_nothing_is_known_of_an_object_whose_class_or_superclass_is_not_there(
    entry: str, missing: str, tmp_path: Path
) -> None:
    for name, data in compiled(INHERITING).items():
        if name != missing:
            (tmp_path / f"{name}.class").write_bytes(data)
    done = tepui(tmp_path, "verify", "Inherits.class", "--entry", entry)
    assert done.code == 3, done
    assert f"{missing} cannot be found" in done.out


SUPER = """\
class Base { void one() {} }
class Sub extends Base { void one() { super.one(); } }
public class Above {
    public static void main(String[] arguments) {
        new Sub().one();
        assert false;
    }
}
"""


def test_a_method_of_a_superclass_that_is_not_there_is_no_other_method(tmp_path: Path) -> None:
    other = SUPER.replace("void one() {}", "")
    for text in (SUPER, other.replace("super.one();", "")):
        for name, data in compiled(text).items():
            if text is SUPER or name == "Base":
                (tmp_path / f"{name}.class").write_bytes(data)
    done = tepui(tmp_path, "verify", "Above.class")
    assert done.code == 3, done
    assert "Base.one is not modelled" in done.out


@pytest.mark.parametrize("main", ["No", "Racy.main", ""])
def test_a_main_class_that_is_not_there_is_wrong_use(main: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nMain-Class: {main}\r\n")
        for name, data in compiled(RACY).items():
            jar.writestr(f"{name}.class", data)
    done = tepui(tmp_path, "verify", "app.jar")
    assert done.code == 2, done
    assert f"its main class {main or '(no name)'} cannot be found" in done.err
    assert tepui(tmp_path, "verify", "app.jar", "--entry", "Racy.main").code in (0, 1)


def test_a_source_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a\udcff"
    folder.mkdir()
    (folder / "Racy.java").write_text(RACY, encoding="utf-8")
    done = tepui(folder, "verify", str(folder / "Racy.java"))
    assert done.code == 2, done
    assert "whose name is no text" in done.err


def test_sources_are_compiled_wherever_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "a\nb\r\t \"c'\\ \u202e#@*"
    folder.mkdir()
    (folder / "Calm.java").write_text(CALM, encoding="utf-8")
    done = tepui(folder, "verify", str(folder / "Calm.java"))
    assert done.code == 0, done
