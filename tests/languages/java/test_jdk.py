"""The JDK that is found: by its path, by JAVA_HOME, on the PATH, in the usual folders, or not."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from support.class_bytes import ClassBytes
from tepui.cli.option_names import OPTIONS
from tepui.errors import UsageError
from tepui.languages.java import jdk
from tepui.languages.java.class_places import Jar, Modules, ModuleSources
from tepui.languages.java.classpath import Classpath
from tepui.languages.java.jdk import Jdk, find_jdk
from tepui.parameter_names import speaking


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer without Java, and a folder for it."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(jdk, "_usual_folders", lambda: [str(tmp_path / "jvm")])
    return tmp_path


def _made(home: Path, version: str = "17.0.15", programs: tuple[str, ...] = ("java",)) -> Path:
    """A folder that looks like a JDK."""
    _write(home / "lib" / "modules")
    if version:
        others = 'IMPLEMENTOR="x"\nJAVA_RUNTIME_VERSION="9.9"\n'
        _write(home / "release", f'{others}JAVA_VERSION="{version}"\n'.encode())
    for name in programs:
        _write(home / "bin" / name)
    return home


def test_the_jdk_of_this_computer() -> None:
    found = find_jdk()
    assert 17 <= found.version <= 25
    assert found.full_version.startswith(str(found.version))
    assert found.javac
    assert found.java
    assert Path(found.javac).is_file()
    assert isinstance(found.places[0], Modules)
    assert find_jdk(found.home) == find_jdk(Path(found.home)) == found


def test_without_java_the_message_says_what_to_install(nowhere: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_jdk()
    assert str(caught.value) == (
        "there is no Java on this computer, and a Java program needs the classes of a JDK: install "
        "one (17 or newer), e.g. with `apt install openjdk-17-jdk-headless`, or name its folder "
        "with jdk"
    )
    with speaking(OPTIONS), pytest.raises(UsageError, match=r"name its folder with --jdk$"):
        find_jdk()


def test_a_path_that_is_no_jdk(nowhere: Path) -> None:
    _made(nowhere / "jvm" / "good")
    with pytest.raises(UsageError, match=r"^jdk='.*nothing': this is no folder of a JDK"):
        find_jdk(nowhere / "nothing")
    with speaking(OPTIONS), pytest.raises(UsageError, match=r"^--jdk /.*nothing: this is no"):
        find_jdk(nowhere / "nothing")


def test_a_path_on_macos(nowhere: Path) -> None:
    home = _made(nowhere / "some.jdk" / "Contents" / "Home")
    assert find_jdk(nowhere / "some.jdk").home == str(home)


def test_java_home_goes_first_if_there_is_java(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = _made(nowhere / "jvm" / "other", programs=("java", "javac"))
    monkeypatch.setenv("JAVA_HOME", str(nowhere / "mine"))
    assert find_jdk().home == str(other)
    monkeypatch.setenv("PATH", str(other / "bin"))
    mine = _made(nowhere / "mine")
    assert find_jdk().home == str(mine)


def test_a_link_on_the_path_leads_to_the_jdk(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _made(nowhere / "deep" / "jdk", programs=("javac",))
    runtime = _made(nowhere / "deep" / "jre", programs=("java",))
    links = nowhere / "links"
    links.mkdir()
    (links / "alternative").symlink_to(home / "bin" / "javac")
    (links / "javac").symlink_to(links / "alternative")
    monkeypatch.chdir(_made(nowhere / "here", programs=("java", "javac")) / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join(["", str(runtime / "bin"), str(links)]))
    assert find_jdk().home == str(home)
    (links / "javac").unlink()
    assert find_jdk().home == str(runtime)


def test_a_script_on_the_path_that_is_no_jdk_is_passed_over(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(nowhere / "shims" / "bin" / "java")
    monkeypatch.setenv("PATH", str(nowhere / "shims" / "bin"))
    home = _made(nowhere / "jvm" / "some")
    assert find_jdk().home == str(home)


def test_the_best_of_those_in_the_usual_folders(nowhere: Path) -> None:
    jvm = nowhere / "jvm"
    _made(jvm / "a", "26.0.1", ("java", "javac"))
    candidates = [
        _made(jvm / "b", "1.7.0_80", ("java", "javac")),
        _made(jvm / "c", "21.0.1"),
        _made(jvm / "d", "1.8.0_392", ("java", "javac")),
        _made(jvm / "e", "11.0.2", ("java", "javac")),
        _made(jvm / "f", "25", ("java", "javac")),
    ]
    (jvm / "file").write_text("")
    for home in reversed(candidates):
        assert find_jdk().home == str(home)
        (home / "lib" / "modules").unlink()


def test_java_that_is_too_new(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = _made(nowhere / "new", "26-ea")
    message = "is Java 26, and its classes are read up to Java 25: name the folder of an older"
    with pytest.raises(UsageError, match=message):
        find_jdk(new)
    monkeypatch.setenv("JAVA_HOME", str(new))
    with pytest.raises(UsageError, match=message):
        find_jdk()
    old = _made(nowhere / "jvm" / "old", "17")
    assert find_jdk().home == str(old)


VERSIONS = {
    "17.0.15": 17,
    "25": 25,
    "21-ea": 21,
    "1.8.0_392": 8,
    "1": 1,
    "": 0,
    "x": 0,
    "99999": 0,
    "²": 0,
}


@pytest.mark.parametrize("version", VERSIONS)
def test_versions(tmp_path: Path, version: str) -> None:
    found = Jdk(str(_made(tmp_path, version)))
    assert (found.version, found.full_version) == (VERSIONS[version], version)
    assert found.javac is None


def test_java_8_has_jars(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = nowhere / "jvm" / "java-8"
    (home / "jre" / "lib").mkdir(parents=True)
    for jar, name in (("rt.jar", "java/lang/Object"), ("jce.jar", "javax/crypto/Cipher")):
        made = ClassBytes(name, None if name == "java/lang/Object" else "java/lang/Object")
        made.major = 52
        with zipfile.ZipFile(home / "jre" / "lib" / jar, "w") as file:
            file.writestr(f"{name}.class", made.build())
    found = find_jdk()
    assert (found.home, found.version, found.full_version) == (str(home), 8, "")
    assert [type(place) for place in found.places] == [Jar, Jar]
    classes = Classpath([], found)
    assert classes.find("java/lang/Object")
    assert classes.is_of_jdk("javax/crypto/Cipher")
    assert find_jdk(home / "jre").version == 8
    _write(home / "jre" / "bin" / "java")
    monkeypatch.setenv("PATH", str(home / "jre" / "bin"))
    assert find_jdk().home == str(home)
    (home / "jre" / "lib").rename(home / "lib")
    assert find_jdk().version == 8


def test_where_the_texts_of_the_jdk_are(tmp_path: Path) -> None:
    home = _made(tmp_path)
    assert Jdk(str(home)).sources is None
    _write(home / "lib" / "src.zip")
    assert isinstance(Jdk(str(home)).sources, ModuleSources)
    (home / "lib" / "modules").unlink()
    assert Jdk(str(home)).sources is None
    _write(home / "src.zip")
    assert Jdk(str(home)).sources == Jar(str(home / "src.zip"))


def _write(path: Path, data: bytes = b"") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
