"""Wrong inputs: every one gets a TepuiError that points at the right place, and fast."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.samples.broken_inputs import BROKEN_INPUTS, HEAD, BrokenInput
from tepui.cli.option_names import OPTIONS
from tepui.errors import InputError, TepuiError
from tepui.languages import Loaded, load, loads, source
from tepui.parameter_names import speaking

RICH_PDS = (
    "\ufeff3 # states\r\nPDA 0 4\r\n0 1 -> 1 2 03\r\n\t1 2 -> 2 -\n2 - -> 0 1\nPDA 5 6\n0 5 -> 1 6"
)
RICH_CPDS = f'# all\nshared q r "odd name"\n{HEAD}bad q | a, c * 2\nbad * | -, *, *\nbad deadlock\n'
RICH_STATE = "0|1.2,5"


@pytest.mark.parametrize("case", BROKEN_INPUTS, ids=str)
def test_a_broken_input_is_refused_at_the_right_place(
    case: BrokenInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(case)
    with speaking(OPTIONS), pytest.raises(TepuiError) as caught:
        load_with_options(case)
    error = caught.value
    assert case.fragment in str(error)
    if case.source != "":
        assert isinstance(error, InputError)
        assert (error.source, error.line, error.column) == (
            case.source or case.main,
            case.line,
            case.column,
        )


def test_broken_inputs_have_different_names() -> None:
    assert len({case.name for case in BROKEN_INPUTS}) == len(BROKEN_INPUTS)


def test_an_error_shows_the_line_and_marks_the_column() -> None:
    with pytest.raises(InputError) as caught:
        loads("2\nPDA 0 1\n0 1 = 0 1", "pds", name="a.pds", init="0|1")
    assert str(caught.value) == (
        "a.pds:3:5: expected '->' after the left-hand side, found '='\n"
        "    3 | 0 1 = 0 1\n"
        "            ^"
    )


def test_a_file_without_read_permission_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match="permission denied"):
        load("a.pds")


def test_a_file_name_that_no_file_can_have_is_refused() -> None:
    for name in ("a\0.pds", "a" * 5000 + ".pds"):
        with pytest.raises(InputError, match="cannot be read"):
            load(name)


def test_a_file_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 2**20)
    path = tmp_path / "a.cpds"
    path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(InputError, match="larger than 1 MB"):
        load(path)


READERS: list[tuple[Callable[[str], object], str]] = [
    (lambda text: loads(text, "pds", init=RICH_STATE), RICH_PDS),
    (lambda text: loads(RICH_PDS, "pds", init=text), RICH_STATE),
    (lambda text: loads(RICH_PDS, "pds", init=RICH_STATE, targets=[text]), "0|1,*\n*|* * 2\n"),
    (lambda text: loads(text, "cpds"), RICH_CPDS),
    (lambda text: loads(RICH_CPDS, "cpds", init=text), 'q|a b,"c".c,-'),
    (lambda text: loads(RICH_CPDS, "cpds", targets=[text]), "q|a,c * 2"),
]


@given(st.sampled_from(READERS), st.text())
def test_any_text_is_read_or_refused(
    reader: tuple[Callable[[str], object], str], text: str
) -> None:
    read_or_refuse(reader[0], text)


@given(st.sampled_from([".pds", ".cpds", ".init", ".spec"]), st.binary())
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name, text in (("a.pds", RICH_PDS), ("a.init", RICH_STATE)):
        (folder / name).write_text(text, newline="")
    (folder / f"a{suffix}").write_bytes(data)
    read_or_refuse(load, folder / ("a.cpds" if suffix == ".cpds" else "a.pds"))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: repr(reader[1][:12]))
def test_mutated_texts_are_read_or_refused(reader: tuple[Callable[[str], object], str]) -> None:
    read, valid = reader
    read(valid)
    rng = random.Random(1)
    refused = sum(not read_or_refuse(read, mutated(valid, rng)) for _ in range(3000))
    assert refused > 300


def test_long_lines_and_many_lines_are_refused() -> None:
    """A reader that went back from every place in them would not get to their end."""
    for piece in ("(", '"', "\\", "1 ", "1.", "1,", "- ", "->", "*", "{", "\t", "#\n", "é", '"\\'):
        text = piece * 10_000
        for read, _ in READERS:
            read_or_refuse(read, text)
            read_or_refuse(read, f"0|{text}")


def write_files(case: BrokenInput) -> None:
    for name, content in case.files.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def load_with_options(case: BrokenInput) -> Loaded:
    """Load as the command line does."""
    given_options = list(zip(case.options[::2], case.options[1::2], strict=True))
    init = next((value for name, value in given_options if name == "--init"), None)
    targets = [value for name, value in given_options if name == "--target"]
    return load(case.main, init, targets)


def read_or_refuse(read: Callable[..., object], value: object) -> bool:
    """Whether the value could be read; anything but a TepuiError is a failure."""
    try:
        read(value)
    except TepuiError as error:
        refusal = error
    else:
        return True
    assert str(refusal)
    if isinstance(refusal, InputError) and refusal.line:
        assert 1 <= refusal.column <= len(refusal.text) + 1
    return False


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few words or characters deleted, doubled, exchanged or replaced."""
    parts = text.split(" ") if rng.random() < 0.5 else list(text)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(parts) or 1)
        change = rng.randrange(4)
        if change == 0:
            del parts[place : place + 1]
        elif change == 1:
            parts[place:place] = parts[place : place + 1]
        elif change == 2:
            other = rng.randrange(len(parts) or 1)
            parts[place : place + 1], parts[other : other + 1] = (
                parts[other : other + 1],
                parts[place : place + 1],
            )
        else:
            parts[place : place + 1] = [rng.choice(['"', "-", "->", "|", "0", "9", "\n", "é", "*"])]
    return (" " if " " in text and len(parts) < len(text) // 2 else "").join(parts)
