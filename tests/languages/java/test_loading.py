"""Programs from Java files: texts, errors of the compiler, entries."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import tepui
from tepui.errors import InputError, UsageError
from tepui.languages.java.java_options import JavaOptions
from tepui.languages.java.loading import load_each, load_java

TEXT = """public class Named {
    static int n;
    static void first() { n = 1; }
    static void second(int k) { n = k; }
    static void second(boolean k) { n = 3; }
    public static void main(String[] arguments) { first(); }
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file that is not called as its public class."""
    path = Path(tmp_path_factory.mktemp("java"), "other.java")
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_a_file_with_another_name_than_its_class_is_loaded_and_begins_with_main(file: str) -> None:
    program = load_java(file, JavaOptions())
    assert "Named.main" in program.by_name
    assert program.name == "Named"
    position = next(each.position for each in program.by_name["Named.first"].locations)
    assert (position.file, position.line) == (file, 3)


def test_each_method_that_a_pattern_stands_for_is_an_entry(file: str) -> None:
    found = list(load_each(file, JavaOptions(), ["first", "second*"]))
    names = ["Named.first", "Named.second(int)", "Named.second(boolean)"]
    assert [each.name for each in found] == names


def test_a_method_that_does_not_exist_is_named(file: str) -> None:
    with pytest.raises(UsageError, match="frist"):
        load_java(file, JavaOptions(entry="frist"))


def test_an_error_of_the_compiler_stands_where_it_is(tmp_path: Path) -> None:
    path = Path(tmp_path, "Named.java")
    path.write_text(TEXT.replace("n = 1;", "n = m;"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_java(str(path), JavaOptions())
    assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), 3, 31)
    assert "cannot find symbol" in caught.value.message


def test_programs_and_results_can_be_pickled_and_copied(file: str) -> None:
    program = load_java(file, JavaOptions())
    result = tepui.verify(program)
    for again in (pickle.loads(pickle.dumps(program)), copy.copy(program), copy.deepcopy(program)):
        assert again == program
        assert tepui.verify(again).verdict == result.verdict == "safe"
    for other in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert str(other) == str(result)
