"""Bytecode whose values on the stack do not fit, which no JVM would run."""

from __future__ import annotations

from pathlib import Path

import pytest

import tepui
from support.class_bytes import ClassBytes, u2

ENTRY = 0x0009, "main", "(I)V"

RETURN = b"\xb1"

CODES = {
    "pop": b"\x57",
    "dup": b"\x59",
    "swap": b"\x04\x5f",
    "iadd": b"\x04\x60",
    "pop2": b"\x04\x58",
    "dup2": b"\x5c",
    "dup_x2": b"\x04\x04\x5b",
    "iadd of a reference": b"\x04\x01\x60",
    "istore of a reference": b"\x01\x3c",
    "ireturn of nothing": b"\x04\xac",
    "areturn where an int is wanted": b"\x04\xb0",
    "ifnull of a number": b"\x04\xc6\x00\x03",
    "arraylength of a number": b"\x04\xbe\x57",
    "iaload of a number": b"\x04\x04\x2e\x57",
    "athrow of a number": b"\x04\xbf",
    "athrow": b"\xbf",
    "ifeq": b"\x99\x00\x03",
    "one more on one way": b"\x1a\x99\x00\x04\x04",
    "another kind on one way": b"\x1a\x99\x00\x07\x04\xa7\x00\x04\x01\x57",
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_a_stack_that_does_not_fit_is_an_error_of_the_input(code: bytes, tmp_path: Path) -> None:
    made = ClassBytes()
    made.method(*ENTRY, made.code(code + RETURN))
    _require_refused(made, tmp_path)


def test_a_call_without_its_arguments_is_an_error_of_the_input(tmp_path: Path) -> None:
    made = ClassBytes()
    call = b"\x04\xb8" + u2(made.method_ref("C", "two", "(II)V"))
    made.method(*ENTRY, made.code(call + RETURN))
    made.method(0x0008, "two", "(II)V", made.code(RETURN))
    _require_refused(made, tmp_path)


def test_a_field_gets_no_other_kind_of_value(tmp_path: Path) -> None:
    made = ClassBytes()
    made.field(0x0008, "of", "Ljava/lang/Object;")
    put = b"\x04\xb3" + u2(made.field_ref("C", "of", "Ljava/lang/Object;"))
    made.method(*ENTRY, made.code(put + RETURN))
    _require_refused(made, tmp_path)


def _require_refused(made: ClassBytes, folder: Path) -> None:
    (folder / "C.class").write_bytes(made.build())
    with pytest.raises(tepui.InputError, match="the values on the stack do not fit"):
        tepui.load_program(folder / "C.class", entry="main")
