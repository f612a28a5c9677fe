"""Messages name what their reader can choose: parameters in Python, options on the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tepui
from support.cli import FIGURE4, INFINITE, call
from support.places import EXAMPLES
from tepui.cli.option_names import OPTIONS
from tepui.parameter_names import PYTHON, given, named, speaking
from tepui.z import parse_strength

PACKAGE = Path(tepui.__file__).parent

WRITES_COMMANDS = {
    "benchexec.py",
    "languages/java/models/build.py",
    "report/page/check_commands.py",
    "tasks/definition.py",
    "tasks/task.py",
}
"""What these make is typed or run as a command."""

OPTION = re.compile(r"(?<![\w(-])--(?!tepui-)[a-z]|`tepui ")
"""An option or a command; custom properties of CSS are called --tepui-…"""

CPDS = "initial q\nthread T {\n    stack a\n    q | a -> r | -\n}\n"


def test_the_library_names_no_option_of_the_command_line() -> None:
    checked = 0
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE)
        if inside.parts[0] in ("cli", "suite") or inside.as_posix() in WRITES_COMMANDS:
            continue
        checked += 1
        wrong = [text for text in _strings(path) if OPTION.search(text)]
        assert wrong == [], inside
    assert checked > 200


def _strings(path: Path) -> Iterator[str]:
    """The strings of a module but its documentation, and styles of single elements."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    styles = {
        id(inside)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "style"
        for inside in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in docs | styles:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_both_have_words_for_the_same_things() -> None:
    assert list(OPTIONS.names) == list(PYTHON.names) == sorted(PYTHON.names)


def test_the_words_are_python_again_when_a_command_is_over() -> None:
    with speaking(OPTIONS):
        assert (named("slots"), given("init", "0|1")) == ("--slots", "--init '0|1'")
    assert (named("slots"), given("init", "0|1")) == ("Options(slots=…)", "init='0|1'")
    assert call("verify", FIGURE4, "--z", "matched:99").code == 2
    assert named("slots") == "Options(slots=…)"


def test_a_wrong_strength() -> None:
    with pytest.raises(tepui.UsageError, match=r"^strength='matched:99': the depth must be"):
        parse_strength("matched:99")
    assert "--z matched:99: the depth must be" in call("verify", FIGURE4, "--z", "matched:99").err


def test_a_wrong_state_is_called_after_the_parameter(tmp_path: Path) -> None:
    file = tmp_path / "a.cpds"
    file.write_text(CPDS)
    with pytest.raises(tepui.InputError, match=r"^init:1:1: "):
        tepui.load(file, init="?")
    with pytest.raises(tepui.InputError, match=r"^targets:1:1: "):
        tepui.load(file, targets=["?"])
    assert call("verify", str(file), "--init", "?").err.startswith("error: --init:1:1: ")


def test_a_model_without_a_question(tmp_path: Path) -> None:
    file = tmp_path / "a.cpds"
    file.write_text(CPDS)
    with pytest.raises(tepui.UsageError) as caught:
        tepui.verify(tepui.load(file))
    assert str(caught.value) == (
        "a asks no question: name bad states with targets or tepui.reach, choose "
        "targets=['deadlock'], or use tepui.explore to see all that is reachable"
    )
    err = call("verify", str(file)).err
    assert "with --target or --reach, choose --property deadlock, or use `tepui explore`" in err


def test_reasons_in_results(tmp_path: Path) -> None:
    file = tmp_path / "a.cpds"
    file.write_text(INFINITE)
    options = tepui.Options(engine="explicit", strengths=())
    reason = tepui.verify(tepui.load(file), options=options).reason
    assert "engine='explicit' lists states one by one (engine='diagram'" in (reason or "")
    done = call("verify", str(file), "--engine", "explicit", "--z", "off", "--json")
    assert "--engine explicit lists states one by one" in done.json["reason"]


def test_threads_of_a_program() -> None:
    path = EXAMPLES / "bluetooth1.bp"
    with pytest.raises(tepui.UsageError, match=r"^threads ad=2: .*did you mean 'add'\?"):
        tepui.load(path, threads={"ad": 2})
    assert "error: --threads ad=2: " in call("verify", str(path), "--threads", "ad=2").err


def test_several_questions() -> None:
    program = tepui.load_program(EXAMPLES / "bluetooth1.bp")
    questions = [*tepui.assertions(program), tepui.deadlock()]
    assert "(tepui.verify_all goes on" in str(tepui.verify(program, questions))
    asked = ("--property", "assertions", "--property", "deadlock")
    assert "(--all goes on" in call("verify", str(EXAMPLES / "bluetooth1.bp"), *asked).out
