"""Classes by their names: which place goes first, and what is said about wrong places."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from support.class_bytes import ClassBytes, u2
from support.java import compiled
from tepui.errors import InputError
from tepui.languages.java.byte_reader import ClassFileError
from tepui.languages.java.classpath import Classpath
from tepui.languages.java.jdk import find_jdk

TEXT = "package p;\nclass A { static class B { } }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the classes of TEXT, and the text beside them."""
    for name, data in compiled(TEXT).items():
        _write(tmp_path / f"{name}.class", data)
    _write(tmp_path / "p" / "Source.java", TEXT.encode())
    return tmp_path


def test_classes_in_a_folder(folder: Path) -> None:
    _write(folder / "p.A.class", b"no class")
    _write(folder / "[Lp" / "A;.class", b"no class")
    classes = Classpath([folder])
    found = classes.find("p/A")
    assert found
    assert (found.name, found.source) == ("p/A", str(folder / "p" / "A.class"))
    assert classes.find("p/A") is found
    inner = classes.find("p/A$B")
    assert inner
    assert inner.nest_host == "p/A"
    for name in ("A", "p/B", "p.A", "../p/A", "", "java/lang/Object", "[Lp/A;"):
        assert classes.find(name) is None
    assert not classes.is_of_jdk("p/A")


def test_the_text_of_a_class(folder: Path, tmp_path: Path) -> None:
    classes = Classpath([folder])
    text = classes.source_of("p/A$B")
    assert text
    assert text.name == str(folder / "p" / "Source.java")
    assert text.lines[1] == "class A { static class B { } }"
    assert classes.source_of("p/Missing") is None
    (folder / "p" / "Source.java").unlink()
    assert classes.source_of("p/A") is None
    jar = tmp_path / "some.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.write(folder / "p" / "A.class", "p/A.class")
        made.writestr("p/Source.java", TEXT)
    in_jar = Classpath([jar]).source_of("p/A")
    assert in_jar
    assert in_jar.name == f"{jar}!/p/Source.java"


def test_the_text_of_a_class_lies_in_its_folder(tmp_path: Path) -> None:
    _write(tmp_path / "secret", b"text")
    made = ClassBytes("p/A")
    made.attributes.append(made.attribute("SourceFile", u2(made.text("../../secret"))))
    _write(tmp_path / "top" / "p" / "A.class", made.build())
    classes = Classpath([tmp_path / "top"])
    assert classes.find("p/A")
    assert classes.source_of("p/A") is None


def test_the_jdk_goes_first_and_then_the_order_counts(folder: Path, tmp_path: Path) -> None:
    _write(folder / "java" / "util" / "Vector.class", b"no class")
    jar = tmp_path / "some.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("p/A.class", b"no class")
        made.write(folder / "p" / "A$B.class", "p/C.class")
    classes = Classpath([folder, jar], find_jdk())
    vector = classes.find("java/util/Vector")
    assert vector
    assert vector.superclass == "java/util/AbstractList"
    assert classes.is_of_jdk("java/util/Vector")
    assert not classes.is_of_jdk("java/util/Vectors")
    assert not classes.is_of_jdk("p/A")
    other = Classpath([jar, folder])
    with pytest.raises(ClassFileError, match=r"jar!/p/A\.class: byte 0x0: this is no class file"):
        other.find("p/A")
    with pytest.raises(InputError, match=r"p/C\.class: expected the class p/C, found p/A\$B"):
        other.find("p/C")


def test_places_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        Classpath([tmp_path / "missing.jar"])


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
