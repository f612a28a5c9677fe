"""Where the classes of a program are: in sources, class files, archives and folders."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tepui
from support.java import compiled
from support.samples.java_programs import CALM, RACY, package
from tepui.errors import InputError, UsageError

CLASSES = compiled(RACY)


def source(folder: Path) -> Path:
    path = folder / "Racy.java"
    path.write_text(RACY, encoding="utf-8")
    return path


def class_file(folder: Path) -> Path:
    for name, data in CLASSES.items():
        (folder / f"{name}.class").write_bytes(data)
    return folder / "Racy.class"


def archive(folder: Path, manifest: str = "") -> Path:
    path = folder / "app.jar"
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in CLASSES.items():
            jar.writestr(f"{name}.class", data)
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{manifest}\r\n")
    return path


def archive_with_main_class(folder: Path) -> Path:
    return archive(folder, "Main-Class: Racy")


def folder_of_classes(folder: Path) -> Path:
    class_file(folder)
    return folder


def folder_of_sources(folder: Path) -> Path:
    source(folder)
    return folder


@pytest.mark.parametrize(
    "make",
    [source, class_file, archive, archive_with_main_class, folder_of_classes, folder_of_sources],
)
def test_a_program_is_found_in_all_places(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    program = tepui.load_program(make(tmp_path))
    assert (program.name, program.asks_deadlock) == ("Racy", True)


def test_a_class_of_a_package_is_found_from_the_root_of_its_packages(tmp_path: Path) -> None:
    package(tmp_path / "in")
    program = tepui.load_program(tmp_path / "in", entry="Methods.bad")
    assert program.name == "org.example.Methods.bad"
    assert [Path(file).name for file in program.own_files] == ["Methods.java", "Helper.java"]


def test_sources_are_named_as_the_user_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path)
    monkeypatch.chdir(tmp_path)
    program = tepui.load_program("org/example/Methods.java", entry="bad")
    assert program.own_files == ("org/example/Methods.java", "org/example/Helper.java")


def test_a_text_is_compiled_too() -> None:
    program = tepui.loads(RACY, "java", name="cell 3")
    assert program.own_files == ("cell 3",)
    assert "assert count == 2 at cell 3:9" in [each.text for each in tepui.assertions(program)]


def test_an_error_in_a_text_has_its_name() -> None:
    with pytest.raises(InputError, match=r"^cell 3:2:18: javac: "):
        tepui.loads("class A {\n    int number = other;\n}", "java", name="cell 3")


def test_several_main_methods_are_told(tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "Calm.java").write_text(CALM, encoding="utf-8")
    with pytest.raises(UsageError, match=r"there are several main methods; .*: Calm.main, Racy.m"):
        tepui.load(tmp_path)
    assert tepui.load(tmp_path, entry="Calm.main").name == "Calm.main"


def test_a_folder_without_java_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory, expected a file, or a folder with"):
        tepui.load(tmp_path)


def test_classes_that_lie_in_the_wrong_folder_are_passed_over(tmp_path: Path) -> None:
    class_file(tmp_path)
    (tmp_path / "deep").mkdir()
    shutil.copy(tmp_path / "Racy.class", tmp_path / "deep" / "Racy.class")
    (tmp_path / "Broken.class").write_bytes(b"\xca\xfe\xba\xbe")
    assert tepui.load(tmp_path).name == "Racy"


@pytest.mark.parametrize("name", ["none.java", "none.class", "none.jar"])
def test_a_missing_file_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        tepui.load(tmp_path / name)


def test_a_damaged_file_is_an_error_of_that_file(tmp_path: Path) -> None:
    for name in ("Bad.class", "bad.jar"):
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(InputError, match=name):
            tepui.load(tmp_path / name)


def test_options_of_other_languages_are_refused(tmp_path: Path) -> None:
    path = source(tmp_path)
    with pytest.raises(UsageError, match="init is for pushdown systems"):
        tepui.load(path, init="q")
    with pytest.raises(UsageError, match="is for programs whose integers have bounds"):
        tepui.load(path, overflow=True)
