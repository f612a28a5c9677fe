"""Which methods an entry means: names, types, patterns, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from support.samples.java_programs import package
from tepui.errors import InputError, UsageError
from tepui.languages.java.entries import Entries, entry_name, shown_types
from tepui.languages.java.java_files import JavaFiles
from tepui.languages.java.java_options import JavaOptions, is_pattern
from tepui.languages.source import Source

OVER = ["org.example.Methods.over(int)", "org.example.Methods.over(String[], boolean)"]


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Entries]:
    path = package(tmp_path_factory.mktemp("entries"))
    with JavaFiles(str(path), JavaOptions()) as files:
        yield files.entries(files.hierarchy())


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("good", "org.example.Methods.good"),
        ("Methods.good", "org.example.Methods.good"),
        ("org.example.Methods.good", "org.example.Methods.good"),
        ("org.example.Methods#good", "org.example.Methods.good"),
        ("Inner.calm", "org.example.Methods.Inner.calm"),
        ("Methods.Inner.calm", "org.example.Methods.Inner.calm"),
        ("org.example.Methods$Inner.calm", "org.example.Methods.Inner.calm"),
        ("Methods.good()", "org.example.Methods.good"),
        ("Sized.still", "org.example.Methods.Sized.still"),
        ("Derived.hidden", "org.example.Methods.Derived.hidden"),
        ("Derived.inherited", "org.example.Methods.Derived.inherited"),
        ("Helper.isFine", "org.example.Helper.isFine"),
        ("*ood", "org.example.Methods.good"),
    ],
)
def test_a_name_means_one_method(entries: Entries, entry: str, name: str) -> None:
    assert entry_name(entries.only(entry)) == name


@pytest.mark.parametrize(
    ("entry", "descriptor"),
    [
        ("over(int)", "(I)V"),
        ("over(I)V", "(I)V"),
        ("over( String[] , boolean )", "([Ljava/lang/String;Z)V"),
        ("over([Ljava/lang/String;", "([Ljava/lang/String;Z)V"),
    ],
)
def test_types_choose_among_methods_of_one_name(
    entries: Entries, entry: str, descriptor: str
) -> None:
    assert entries.only(entry).descriptor == descriptor


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("Methods.*", ["bad", "good", "over", "over"]),
        ("Methods.over(int)", ["over"]),
        ("*.calm", ["calm"]),
        ("*oo?", ["good"]),
        ("org.example.*.isFine", ["isFine"]),
        ("*Derived.*", []),
    ],
)
def test_patterns_stand_for_methods_that_can_be_called_from_outside(
    entries: Entries, pattern: str, names: list[str]
) -> None:
    if names:
        assert sorted(each.name for each in entries.all_of(pattern)) == names
        return
    with pytest.raises(UsageError, match=r"has no such method; there are org\.example"):
        entries.all_of(pattern)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("goood", "class org.example.Methods has no method goood with code; did you mean 'good'?"),
        ("Mothods.good", "Methods.java has no class Mothods; did you mean 'Methods'?"),
        ("Methods.over", f"there are several, name one of {OVER[0]}, {OVER[1]}"),
        ("Methods.over(long)", "class org.example.Methods has no method over"),
        ("Shape.calm", "org.example.Methods.Shape is abstract, so there is no object"),
        ("Sized.calm", "org.example.Methods.Sized has no constructor without parameters"),
        ("Methods.<init>", "class org.example.Methods has no method <init>"),
        ("", "class org.example.Methods has no method ? with code"),
        ("Methods.*", "there are 4 such methods, and here one is expected: org.example.Methods."),
    ],
)
def test_what_cannot_be_meant_is_told_in_a_sentence(
    entries: Entries, entry: str, message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        entries.only(entry)


def test_without_a_main_method_it_says_what_there_is(entries: Entries) -> None:
    with pytest.raises(InputError, match=r"there is no main method; name a method .* such as org"):
        entries.only(None)


def test_types_are_shown_as_java_writes_them(entries: Entries) -> None:
    assert [entry_name(each) + shown_types(each) for each in entries.all_of("*.over")] == OVER


def test_only_names_can_be_patterns() -> None:
    assert is_pattern("Test.*")
    assert not is_pattern("Test.run(int?)")


TESTS = """\
import java.lang.annotation.*;

class Tests {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Test {
        String[] value() default {};
        Other other() default @Other;
        int number() default 0;
        RetentionPolicy policy() default RetentionPolicy.CLASS;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Other { }

    @Test void one() { }
    @Test(value = {"a", "b"}, other = @Other, number = 3, policy = RetentionPolicy.SOURCE)
    @Deprecated void two() { }
    @Other @Test void three() { }
    @Other void four() { }
}
"""


def test_annotations_stand_for_the_methods_that_have_them() -> None:
    with JavaFiles("Tests.java", JavaOptions(), Source.of_text(TESTS, "Tests.java")) as files:
        entries = files.entries(files.hierarchy())
        assert [each.name for each in entries.all_of("@Test")] == ["one", "two", "three"]
        assert [each.name for each in entries.all_of("@Other")] == ["three", "four"]
        assert entries.only("@Deprecated").name == "two"
        with pytest.raises(UsageError, match=r"Tests\.java has no method with"):
            entries.all_of("@Tast")
