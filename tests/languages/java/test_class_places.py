"""Folders, jars and modules: what is found in them, and what hostile ones try."""

from __future__ import annotations

import os
import random
import zipfile
from pathlib import Path

import pytest

from support.sizes import sized
from tepui.errors import InputError
from tepui.languages.java import class_places
from tepui.languages.java.class_places import Folder, Found, Jar, Modules, ModuleSources
from tepui.languages.java.jdk import find_jdk

NAMES_THAT_LEAVE = [
    "../secret.class",
    "p/../../secret.class",
    "/secret.class",
    "p//C.class",
    "./C.class",
    "p\\..\\C.class",
    "C:/C.class",
    "p/C.class\0",
    "",
]


def test_a_file_in_a_folder(tmp_path: Path) -> None:
    _write(tmp_path / "top" / "p" / "q" / "C.class", b"data")
    place = Folder(str(tmp_path / "top"))
    found = place.find("p/q/C.class", 17)
    assert found == Found(b"data", str(tmp_path / "top" / "p" / "q" / "C.class"))
    assert place.find("p/q/D.class", 17) is None
    assert place.find("p/q", 17) is None
    assert place.find("p/" + "x" * 5000, 17) is None
    assert place.find("p/\ud800.class", 17) is None


@pytest.mark.parametrize("name", NAMES_THAT_LEAVE)
def test_a_name_does_not_lead_out_of_its_folder(tmp_path: Path, name: str) -> None:
    for path in ("secret.class", "top/C.class", "top/p/C.class", "top/p\\..\\C.class"):
        _write(tmp_path / path, b"data")
    assert Folder(str(tmp_path / "top")).find(name, 17) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "C.class")
    assert Folder(str(tmp_path)).find("C.class", 17) is None


def test_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_places, "MAX_BYTES", 1000)
    _write(tmp_path / "A.class", bytes(1000))
    _write(tmp_path / "B.class", bytes(1001))
    jar = _jar(tmp_path, {"A.class": bytes(1000), "B.class": bytes(1001)})
    for place in (Folder(str(tmp_path)), jar):
        found = place.find("A.class", 17)
        assert found
        assert found.data == bytes(1000)
        with pytest.raises(InputError, match=r"B\.class: the file is larger than 0 MB"):
            place.find("B.class", 17)


def test_a_jar_whose_sizes_lie_is_read_up_to_the_limit(tmp_path: Path) -> None:
    jar = _jar(tmp_path, {"Bomb.class": bytes(200 * 2**20)})
    data = Path(jar.path).read_bytes()
    assert len(data) < 2**20
    with pytest.raises(InputError, match=r"jar!/Bomb\.class: the file is larger than 64 MB"):
        jar.find("Bomb.class", 17)


def test_files_in_a_jar(tmp_path: Path) -> None:
    jar = _jar(tmp_path, {"p/C.class": b"data", "../secret.class": b"x"})
    assert jar.find("p/C.class", 17) == Found(b"data", f"{jar.path}!/p/C.class")
    assert jar.find("p/D.class", 17) is None
    assert not (tmp_path / "p").exists()


def test_a_jar_with_classes_for_newer_versions(tmp_path: Path) -> None:
    contents = {
        "C.class": b"8",
        "META-INF/versions/11/C.class": b"11",
        "META-INF/versions/17/C.class": b"17",
        "META-INF/versions/8/C.class": b"never",
        "D.class": b"D",
    }
    manifest = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n"}
    jar = _jar(tmp_path, contents | manifest)
    seen = {version: jar.find("C.class", version) for version in (8, 9, 11, 16, 17, 25)}
    assert {version: found and found.data for version, found in seen.items()} == {
        8: b"8",
        9: b"8",
        11: b"11",
        16: b"11",
        17: b"17",
        25: b"17",
    }
    other = jar.find("D.class", 25)
    assert other
    assert other.data == b"D"
    plain = _jar(tmp_path, contents, "plain.jar").find("C.class", 25)
    assert plain
    assert plain.data == b"8"


def test_jars_that_cannot_be_read(tmp_path: Path) -> None:
    _write(tmp_path / "no.jar", b"this is no zip file")
    with pytest.raises(InputError, match=r"no\.jar: this is no jar that can be read: "):
        Jar(str(tmp_path / "no.jar")).find("C.class", 17)
    with pytest.raises(InputError, match=r"missing\.jar: this is no jar that can be read: "):
        Jar(str(tmp_path / "missing.jar")).find("C.class", 17)
    jar = _jar(tmp_path, {"C.class": b"data"}, method=zipfile.ZIP_BZIP2)
    with pytest.raises(InputError, match=r"C\.class: it is compressed by method 12, not by zip"):
        jar.find("C.class", 17)


@pytest.mark.fuzz
def test_damaged_jars_raise_nothing_else(tmp_path: Path) -> None:
    jar = _jar(tmp_path, {"p/C.class": b"some data" * 9, "META-INF/MANIFEST.MF": b"a: b"})
    data = Path(jar.path).read_bytes()
    chance = random.Random(2)
    refused = 0
    for number in range(sized(2000)):
        changed = bytearray(data[: chance.choice((len(data), chance.randrange(len(data))))])
        for _ in range(chance.choice((1, 3)) if changed else 0):
            changed[chance.randrange(len(changed))] = chance.choice((0, 255, 1, 80))
        path = tmp_path / f"{number % 5}.jar"
        path.write_bytes(changed)
        try:
            Jar(str(path)).find("p/C.class", 17)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)  # noqa: PT017 - both outcomes are right
    assert refused > sized(2000) / 4


def test_modules_and_their_texts(tmp_path: Path) -> None:
    (place,) = find_jdk().places
    assert isinstance(place, Modules)
    found = place.find("java/util/Vector.class", 17)
    assert found
    assert found.name == f"{place.path}!/java.base/java/util/Vector.class"
    assert found.data[:4] == b"\xca\xfe\xba\xbe"
    assert place.find("java/util/Vectors.class", 17) is None
    assert place.find("java/util/../util/Vector.class", 17) is None
    texts = _jar(tmp_path, {"java.base/java/util/Vector.java": b"text"}, "src.zip")
    sources = ModuleSources(texts, place)
    source = sources.find("java/util/Vector.java", 17)
    assert source == Found(b"text", f"{texts.path}!/java.base/java/util/Vector.java")
    assert sources.find("java/util/Set.java", 17) is None
    assert sources.find("no/Set.java", 17) is None


def _jar(
    folder: Path,
    contents: dict[str, bytes],
    name: str = "some.jar",
    method: int = zipfile.ZIP_DEFLATED,
) -> Jar:
    with zipfile.ZipFile(folder / name, "w", method) as jar:
        for inside, data in contents.items():
            jar.writestr(inside, data)
    return Jar(str(folder / name))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
