"""The file of modules of the installed JDKs, compared with the tool `jimage`, and damaged ones."""

from __future__ import annotations

import random
import struct
import subprocess
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import pytest

from support.java import installed_jdks
from support.sizes import sized
from tepui.errors import InputError
from tepui.languages.java import jimage
from tepui.languages.java.jimage import JImage

JDKS = installed_jdks()


def _name(home: Path) -> str:
    return home.name


@pytest.mark.fuzz
@pytest.mark.parametrize("home", JDKS, ids=_name)
def test_what_the_tool_lists_is_found(home: Path) -> None:
    image = JImage(str(home / "lib" / "modules"))
    resources = _listed(home)
    assert len(resources) > 20_000
    some = random.Random(1).sample(resources, min(len(resources), sized(12_000)))
    for module, package, file in some:
        folder = f"{package.replace('.', '/')}/" if package else ""
        assert image.find(f"/{module}/{folder}{file}") is not None
        if package and file.endswith(".class"):
            assert module in image.modules_of(package.replace(".", "/"))


@pytest.mark.parametrize("home", JDKS, ids=_name)
def test_contents_are_those_that_the_tool_extracts(home: Path, tmp_path: Path) -> None:
    program, file = str(home / "bin" / "jimage"), str(home / "lib" / "modules")
    chosen = "regex:/java.(base/java/util/[A-D].*|sql/java/sql/.*|base/[a-z-]*[.]class)"
    command = [program, "extract", "--dir", str(tmp_path), "--include", chosen, file]
    subprocess.run(command, check=True, capture_output=True)
    image = JImage(file)
    extracted = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(extracted) > 150
    for path in extracted:
        assert image.find(f"/{path.relative_to(tmp_path).as_posix()}") == path.read_bytes()


@pytest.mark.parametrize("home", JDKS, ids=_name)
def test_names_that_are_not_there(home: Path) -> None:
    image = JImage(str(home / "lib" / "modules"))
    for name in ("", "/", "/java.base", "/java.base/java/util/Vectors.class", "\ud800", "x" * 9999):
        assert image.find(name) is None
    chance = random.Random(5)
    for _ in range(1000):
        assert image.find(f"/java.base/java/util/Vector{chance.random()}.class") is None
    assert image.modules_of("java/nothing") == ()
    assert image.modules_of("") == ()


@pytest.mark.parametrize("home", JDKS, ids=_name)
def test_packages_and_their_modules(home: Path) -> None:
    image = JImage(str(home / "lib" / "modules"))
    assert image.modules_of("java/util") == ("java.base",)
    assert image.modules_of("javax/swing") == ("java.desktop",)
    assert image.modules_of("java") == ()


class Image:
    """A file of modules, made here: as many slots as names, found by trying seeds."""

    def __init__(self, order: str = "<") -> None:
        self.order = order
        self.strings = b"\0"
        self.contents = b""
        self.entries: dict[bytes, bytes] = {}

    def string(self, text: str) -> int:
        self.strings += text.encode() + b"\0"
        return len(self.strings) - len(text.encode()) - 1

    def add(self, name: str, content: bytes, length: int | None = None) -> None:
        """Add `/module/package/base.extension`; with a length, the content is compressed."""
        _, module, rest = name.split("/", 2)
        package, _, file = rest.rpartition("/")
        base, _, extension = file.partition(".")
        values = [self.string(each) for each in (module, package, base, extension)]
        values += [len(self.contents), 0 if length is None else len(content)]
        values += [len(content) if length is None else length]
        entry = b""
        for kind, value in enumerate(values, 1):
            if value:
                size = max(1, (value.bit_length() + 7) // 8)
                entry += bytes([kind << 3 | size - 1]) + value.to_bytes(size, "big")
        self.entries[name.encode()] = entry + b"\0"
        self.contents += content

    def package(self, name: str, *modules: tuple[str, bool]) -> None:
        pairs = [
            struct.pack(f"{self.order}II", empty, self.string(each)) for each, empty in modules
        ]
        self.add(f"/packages/{name}", b"".join(pairs))

    def build(self) -> bytes:
        size = len(self.entries)
        slots: list[bytes | None] = [None] * size
        redirects = [0] * size
        by_hash: dict[int, list[bytes]] = {}
        for name in self.entries:
            by_hash.setdefault(_hash(name) % size, []).append(name)
        for first, names in sorted(by_hash.items(), key=lambda each: -len(each[1])):
            if len(names) == 1:
                free = slots.index(None)
                slots[free], redirects[first] = names[0], -1 - free
                continue
            seed = next(seed for seed in range(1, 10**6) if _fits(names, seed, slots))
            redirects[first] = seed
            for name in names:
                slots[_hash(name, seed) % size] = name
        locations, offsets = b"", []
        for each in slots:
            assert each
            offsets.append(len(locations))
            locations += self.entries[each]
        head = (0xCAFEDADA, 1 << 16, 0, size, size, len(locations), len(self.strings))
        tables = struct.pack(f"{self.order}7I{size}i{size}I", *head, *redirects, *offsets)
        return tables + locations + self.strings + self.contents

    def compressed(self, content: bytes, method: str = "zip") -> bytes:
        """A content that is compressed, with its header."""
        packed = zlib.compress(content)
        head = (0xCAFEFAFA, len(packed), len(content), self.string(method), 0, 1)
        return struct.pack(f"{self.order}IQQIIB", *head) + packed


def _hash(name: bytes, seed: int = 0x01000193) -> int:
    for byte in name:
        seed = seed * 0x01000193 % 2**32 ^ byte
    return seed % 2**31


def _fits(names: list[bytes], seed: int, slots: list[bytes | None]) -> bool:
    wanted = {_hash(name, seed) % len(slots) for name in names}
    return len(wanted) == len(names) and all(slots[each] is None for each in wanted)


def _small(order: str = "<") -> Image:
    made = Image(order)
    for number in range(20):
        made.add(f"/m/p/q/C{number}.class", b"content %d" % number)
    made.add("/m/p/plain", b"")
    made.add("/n/top.class", b"top")
    made.package("p.q", ("other", True), ("m", False))
    made.add("/m/p/Packed.class", made.compressed(b"abc" * 1000), 3000)
    return made


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_orders_of_bytes(tmp_path: Path, order: str) -> None:
    image = _opened(tmp_path, _small(order).build())
    for number in range(20):
        assert image.find(f"/m/p/q/C{number}.class") == b"content %d" % number
    assert image.find("/m/p/plain") == b""
    assert image.find("/n/top.class") == b"top"
    assert image.find("/m/p/Packed.class") == b"abc" * 1000
    assert image.find("/m/p/q/C20.class") is None
    assert image.modules_of("p/q") == ("m",)


def test_contents_that_are_compressed_twice_or_otherwise(tmp_path: Path) -> None:
    made = _small()
    made.add("/m/p/Twice.class", made.compressed(made.compressed(b"x" * 999)), 999)
    made.add("/m/p/Shared.class", made.compressed(b"x" * 999, "compact-cp"), 999)
    made.add("/m/p/Longer.class", made.compressed(b"x" * 999), 1000)
    made.add("/m/p/Damaged.class", made.compressed(b"x" * 999)[:-9] + bytes(9), 999)
    made.add("/m/p/Plain.class", b"x", 2)
    image = _opened(tmp_path, made.build())
    assert image.find("/m/p/Twice.class") == b"x" * 999
    with pytest.raises(InputError, match="compressed by 'compact-cp', which is not supported"):
        image.find("/m/p/Shared.class")
    for name in ("Longer", "Damaged", "Plain"):
        with pytest.raises(InputError, match="a compressed content is damaged"):
            image.find(f"/m/p/{name}.class")


def test_contents_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _small()
    made.add("/m/p/Bomb.class", made.compressed(bytes(5000)), 5000)
    made.add("/m/p/Liar.class", made.compressed(bytes(5000)), 10)
    image = _opened(tmp_path, made.build())
    assert image.find("/m/p/Bomb.class") == bytes(5000)
    monkeypatch.setattr(jimage, "MAX_BYTES", 4000)
    with pytest.raises(InputError, match="a content is larger than"):
        image.find("/m/p/Bomb.class")
    with pytest.raises(InputError, match="a compressed content is damaged"):
        image.find("/m/p/Liar.class")


def test_a_content_is_not_expanded_beyond_what_it_announces(tmp_path: Path) -> None:
    made = _small()
    packed = bytearray(made.compressed(bytes(20 * 2**20)))
    packed[12:20] = struct.pack("<Q", 10)
    made.add("/m/p/Liar.class", bytes(packed), 20)
    image = _opened(tmp_path, made.build())
    tracemalloc.start()
    with pytest.raises(InputError, match="a compressed content is damaged"):
        image.find("/m/p/Liar.class")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**20


def test_a_list_of_modules_that_is_cut_off(tmp_path: Path) -> None:
    made = _small()
    made.add("/packages/p.r", bytes(12))
    with pytest.raises(InputError, match=r"the list of modules of p\.r is cut off"):
        _opened(tmp_path, made.build()).modules_of("p/r")
    made = _small()
    made.add("/packages/p.r", struct.pack("<II", 0, 10**6))
    with pytest.raises(InputError, match="a name is damaged"):
        _opened(tmp_path, made.build()).modules_of("p/r")


HEADS = {
    b"": "the file cannot be read: ",
    b"\xda\xda\xfe\xca": "this is no file of Java modules",
    b"PK\3\4" + bytes(99): "this is no file of Java modules",
    struct.pack("<7I", 0xCAFEDADA, 2 << 16, 0, 0, 0, 0, 0): r"version 2\.0 is not known",
    struct.pack("<7I", 0xCAFEDADA, 1 << 16, 0, 9, 9, 0, 0): "ends within its table of names",
    struct.pack("<7I", 0xCAFEDADA, 1 << 16, 0, 0, 2**32 - 1, 0, 0): "ends within its table",
}


@pytest.mark.parametrize("data", HEADS, ids=bytes.hex)
def test_what_is_no_file_of_modules(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match=HEADS[data]):
        _opened(tmp_path, data)
    with pytest.raises(InputError, match="the file cannot be read: "):
        JImage(str(tmp_path / "missing"))


def test_a_file_that_ends_within_a_content(tmp_path: Path) -> None:
    made = Image()
    made.add("/m/p/C.class", b"content")
    data = made.build()
    assert _opened(tmp_path, data, "whole").find("/m/p/C.class") == b"content"
    with pytest.raises(InputError, match="the file ends within a content"):
        _opened(tmp_path, data[:-1]).find("/m/p/C.class")


def test_an_entry_that_lies_outside_of_the_table(tmp_path: Path) -> None:
    made = Image()
    made.add("/m/p/C.class", b"\x08" * 99)
    data = bytearray(made.build())
    locations = 28 + 8
    data[32:36] = struct.pack("<I", data.index(b"\x08" * 99) - locations)
    with pytest.raises(InputError, match="the table of names is damaged"):
        _opened(tmp_path, bytes(data)).find("/m/p/C.class")


def test_an_empty_table_has_no_names(tmp_path: Path) -> None:
    empty = struct.pack("<7I", 0xCAFEDADA, 1 << 16, 0, 0, 0, 0, 0)
    assert _opened(tmp_path, empty).find("/m/C.class") is None


@pytest.mark.fuzz
def test_damaged_files_raise_nothing_else(tmp_path: Path) -> None:
    data = _small().build()
    names = [name.decode() for name in _small().entries]
    chance = random.Random(4)
    refused = 0
    for number in range(sized(4000)):
        changed = bytearray(data)
        for _ in range(chance.choice((1, 3, 9))):
            changed[chance.randrange(len(data))] = chance.choice((0, 255, chance.randrange(256)))
        end = chance.choice((len(data), chance.randrange(len(data))))
        try:
            image = _opened(tmp_path, bytes(changed[:end]), f"{number % 5}")
            for name in names:
                image.find(name)
            image.modules_of("p/q")
        except InputError:
            refused += 1
    assert refused > sized(4000) / 4


def _opened(folder: Path, data: bytes, name: str = "modules") -> JImage:
    path = folder / name
    path.write_bytes(data)
    return JImage(str(path))


@cache
def _listed(home: Path) -> list[tuple[str, str, str]]:
    """The modules, packages and files that the tool lists."""
    command = [str(home / "bin" / "jimage"), "list", str(home / "lib" / "modules")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    module = package = ""
    found = []
    for line in done.stdout.splitlines():
        if line.startswith("Module: "):
            module, package = line.split()[1], ""
        elif line.strip().startswith("Package: "):
            package = line.split()[1]
        elif line.startswith("    "):
            found.append((module, package, line.strip()))
    return found
