"""Sources are compiled with what lies beside them, and errors of javac have a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.samples.java_programs import METHODS, RACY, jdk_with, package
from tepui.errors import InputError, UsageError
from tepui.languages.java.compiling import compile_folder, compile_source, package_of
from tepui.languages.java.jdk import Jdk, find_jdk


def compiled(path: Path, into: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    compile_source(str(path), text, str(into), find_jdk(), ())
    return sorted(file.relative_to(into).as_posix() for file in into.rglob("*.class"))


def error_of(tmp_path: Path, text: str) -> InputError:
    path = tmp_path / "Bad.java"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        compiled(path, tmp_path)
    return caught.value


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("class A { }", ""),
        ("package a.b.c;", "a.b.c"),
        ("// package x;\n/* package\ny; */ package  a . b ;", "a.b"),
        ("@Deprecated package a;", "a"),
        ("import a.b; class packages { }", ""),
        (METHODS, "org.example"),
    ],
)
def test_the_package_of_a_source(text: str, name: str) -> None:
    assert package_of(text) == name


def test_sources_of_the_same_packages_are_found(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    found = compiled(package(tmp_path / "in"), out)
    assert {"org/example/Helper.class", "org/example/Methods$Inner.class"} <= set(found)


def test_a_public_class_may_have_another_name_than_its_file(tmp_path: Path) -> None:
    path = tmp_path / "other name.java"
    path.write_text(RACY, encoding="utf-8")
    assert compile_source(str(path), RACY, str(tmp_path), find_jdk(), ()) == "Racy"
    assert (tmp_path / "Racy.class").exists()


def test_the_first_error_has_its_place_and_the_number_of_others(tmp_path: Path) -> None:
    error = error_of(
        tmp_path, "class Bad {\n    int x = y;\n    String s = 3;\n    int z = w;\n}\n"
    )
    assert (error.line, error.column, error.text) == (2, 13, "    int x = y;")
    assert error.source == str(tmp_path / "Bad.java")
    assert error.message == (
        "javac: cannot find symbol (symbol: variable y; location: class Bad); and 2 more errors"
    )


def test_an_error_in_a_class_of_another_name_is_in_the_file_of_the_user(tmp_path: Path) -> None:
    error = error_of(tmp_path, "public class Good {\n    int x = y;\n}\n")
    assert error.source == str(tmp_path / "Bad.java")
    assert (error.line, error.column) == (2, 13)


def test_one_more_error_is_one(tmp_path: Path) -> None:
    assert error_of(tmp_path, "class Bad { int x = y; int z = w; }").message.endswith(
        "and 1 more error"
    )


def test_annotation_processors_do_not_run(tmp_path: Path) -> None:
    services = tmp_path / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "javax.annotation.processing.Processor").write_text("not.There\n")
    path = tmp_path / "Racy.java"
    path.write_text(RACY, encoding="utf-8")
    compile_source(str(path), RACY, str(tmp_path), find_jdk(), [str(tmp_path)])
    assert (tmp_path / "Racy.class").exists()


def test_options_in_the_environment_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JDK_JAVAC_OPTIONS", "-Xnonsense")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=de")
    assert error_of(tmp_path, "class Bad { int x = y; }").message.startswith(
        "javac: cannot find symbol"
    )


def test_a_folder_is_compiled_as_a_whole(tmp_path: Path) -> None:
    package(tmp_path / "in")
    out = tmp_path / "out"
    out.mkdir()
    compile_folder(str(tmp_path / "in"), str(out), find_jdk(), ())
    assert (out / "org" / "example" / "Methods.class").exists()


def test_without_a_compiler_it_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "Racy.java"
    path.write_text(RACY, encoding="utf-8")
    jre = Jdk(str(jdk_with(tmp_path / "jre", None)))
    with pytest.raises(UsageError, match=r"sources need a compiler, and .*jre has none: install"):
        compile_source(str(path), RACY, str(tmp_path), jre, ())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "javac: javac failed"),
        ("echo 'error: strange things' >&2; exit 2", "javac: strange things"),
    ],
)
def test_a_compiler_that_fails_without_a_place(tmp_path: Path, script: str, message: str) -> None:
    path = tmp_path / "Racy.java"
    path.write_text(RACY, encoding="utf-8")
    jdk = Jdk(str(jdk_with(tmp_path / "jdk", script)))
    with pytest.raises(InputError) as caught:
        compile_source(str(path), RACY, str(tmp_path), jdk, ())
    assert (caught.value.line, caught.value.message) == (0, message)
