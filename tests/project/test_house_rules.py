"""The house rules that a machine can check, so that no reviewer has to.

They read the source tree beside the tests, not the installed package.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from support.places import ROOT

MODULES = sorted((ROOT / "python" / "tepui").rglob("*.py"))
RUST = sorted(ROOT.glob("crates/*/src/**/*.rs"))
CORE = [path for path in RUST if "tepui-core" in path.parts]
CRATE = [path for path in RUST if "tepui-checker" in path.parts]
"""The fast checker."""
CHECKER = [path for path in MODULES if "checker" in path.relative_to(ROOT).parts]
OTHERS = sorted(
    path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
MOST_LINES = 600


def test_the_sources_are_found() -> None:
    names = {path.name for path in MODULES + CORE}
    assert {"system.py", "lib.rs"} <= names


def test_every_python_module_opens_with_a_docstring() -> None:
    without = [path for path in MODULES + OTHERS if not ast.get_docstring(ast.parse(_text(path)))]
    assert _names(without) == []


def test_every_rust_file_opens_with_a_module_doc() -> None:
    assert _names(path for path in RUST if not _text(path).startswith("//! ")) == []


def test_no_file_is_too_long_to_be_read_in_one_go() -> None:
    long = [path for path in MODULES + RUST + OTHERS if len(_text(path).splitlines()) > MOST_LINES]
    assert _names(long) == []


CORE_MODULE = "tepui._core"

ENGINES = {
    CORE_MODULE,
    "tepui.kernels.door",
    "tepui.kernels.lowered_system",
    "tepui.kernels.program_fields",
}


def test_the_kernels_know_no_python_and_print_nothing() -> None:
    forbidden = re.compile(r"\bpyo3\b|\be?print(ln)?!|\bdbg!|\bstd::(fs|io)\b")
    assert _names(path for path in CORE if forbidden.search(_text(path))) == []
    assert "pyo3" not in _text(ROOT / "crates" / "tepui-core" / "Cargo.toml")


def test_the_crate_of_the_checker_depends_on_nothing() -> None:
    manifest = tomllib.loads(_text(ROOT / "crates" / "tepui-checker" / "Cargo.toml"))
    assert not [key for key in manifest if "dependencies" in key or key in ("target", "features")]
    used = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?(?:use|extern crate) (\w+)", re.M)
    names = {name for path in CRATE for name in used.findall(_text(path))}
    assert names <= {"std", "crate", "super"}
    assert "#![forbid(unsafe_code)]" in _text(ROOT / "crates" / "tepui-checker" / "src" / "lib.rs")
    other = re.compile(
        r"\be?print(ln)?!|\bdbg!|\bstd::(fs|io|env|process|thread)\b|\binclude(_str|_bytes)?!"
    )
    assert _names(path for path in CRATE if other.search(_text(path))) == []


def test_the_crate_of_the_checker_can_be_read_in_an_afternoon() -> None:
    """Without its tests, its comments and empty lines."""
    code = (_text(path).partition("#[cfg(test)]")[0] for path in CRATE)
    lines = [line for text in code for line in text.splitlines() if not _is_comment(line)]
    assert len(lines) < 3750


def _is_comment(line: str) -> bool:
    return not line.strip() or line.strip().startswith("//")


def test_the_binding_of_the_checker_knows_no_kernel() -> None:
    binding = _text(ROOT / "crates" / "tepui-python" / "src" / "checker.rs")
    assert "tepui_checker::" in binding
    assert not re.search(r"tepui_core|\bcrate::|\bsuper::", binding)
    bound = re.findall(r"#\[pyfunction\]\s+pub\(crate\) fn (\w+)", binding)
    door = ast.parse(_text(ROOT / "python" / "tepui" / "checker" / "fast" / "crate_door.py"))
    imported = [node for node in door.body if isinstance(node, ast.ImportFrom)]
    from_core = {
        name.name for node in imported if node.module == CORE_MODULE for name in node.names
    }
    assert from_core == set(bound)


PRINTING = ["python/tepui/cli/__init__.py", "python/tepui/report/terminal/printing.py"]


def test_all_output_goes_one_way_on_which_names_are_made_printable() -> None:
    printing = re.compile(r"\bclick\.s?echo\(|^ +print\(|\bstd(out|err)\.write\(", re.M)
    assert _names(path for path in MODULES if printing.search(_text(path))) == PRINTING


def test_nothing_is_left_to_be_done_later() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX)\b|\b(todo|unimplemented)!")
    assert _names(path for path in MODULES + RUST if marks.search(_text(path))) == []


TRUSTED = (
    "tepui.assumption",
    "tepui.checker",
    "tepui.errors",
    "tepui.model",
    "tepui.orphans",
    "tepui.output_places",
    "tepui.program",
    "tepui.records",
    "tepui.words",
)
"""What the checker may know; of programs their contract and their meaning, but no pass."""


DOOR = "python/tepui/checker/fast/crate_door.py"
"""What calls the crate of the checker; the kernels have another door."""


def test_the_checker_imports_only_what_is_trusted() -> None:
    for path in CHECKER:
        if _names([path]) == [DOOR]:
            assert _imported_parts(path) == {CORE_MODULE}
            continue
        outside = {name for name in _imported(path) if not _is_trusted(name)}
        assert outside == set(), path.name


def test_the_checker_loads_only_what_is_trusted() -> None:
    """Also where what it imports imports something else; and it needs nothing but Python."""
    modules = [path.relative_to(ROOT / "python").with_suffix("") for path in CHECKER]
    loaded = _loaded_by(f"import {', '.join('.'.join(module.parts) for module in modules)}")
    loaded -= _loaded_by("pass")
    assert "tepui.program.semantics.meaning" in loaded
    own = {name for name in loaded if name.startswith("tepui.")}
    assert {name for name in own if not _is_trusted(name)} == {CORE_MODULE}
    others = {name.partition(".")[0] for name in loaded - own} - {"tepui"}
    assert others <= set(sys.stdlib_module_names)


def test_the_checker_imports_by_name_only_from_itself() -> None:
    """An import that is computed is seen by no other test."""
    dynamic = re.compile(r"import_module\(|__import__\(|\bexec\(|\beval\(")
    callers = [path for path in CHECKER if dynamic.search(_text(path))]
    assert _names(callers) == ["python/tepui/checker/evidence.py"]
    for path in callers:
        assert len(dynamic.findall(_text(path))) == 1
        assert _text(path).count('import_module(f"tepui.checker.{') == 1


def _is_trusted(module: str) -> bool:
    inside = any(f"{module}.".startswith(f"{part}.") for part in TRUSTED)
    return inside and not f"{module}.".startswith("tepui.program.passes.")


def test_the_reference_semantics_trust_no_pass() -> None:
    loaded = _loaded_by("import tepui.program.semantics.meaning")
    assert "tepui.program.walk" in loaded
    untrusted = ("passes", "drafts", "build", "liveness")
    assert not {f"tepui.program.{name}" for name in untrusted} & loaded


def test_a_language_knows_nothing_of_engines() -> None:
    allowed = {"tepui.errors", "tepui.languages", "tepui.model", "tepui.program"}
    allowed |= {"tepui.records", "tepui.parameter_names", "tepui.words"}
    allowed |= {"tepui.assumption", "tepui.limits"}  # Limits end a compiler that is waited for.
    for path in MODULES:
        if "languages" in path.parts:
            assert _imported_parts(path) <= allowed, path.name
    loaded = _loaded_by("import tepui.languages.boolean.translate")
    assert "tepui.program.program" in loaded
    assert not loaded & ENGINES


def test_a_report_computes_nothing() -> None:
    """What it says, it gets from results and their subjects, and what engines are called from the
    registry; imports inside of functions count."""
    forbidden = ("tepui.kernels", "tepui.engines", "tepui.deciding", "tepui.z")
    for path in MODULES:
        if "report" in path.parts:
            used = [name for name in _imported(path) if name.startswith(forbidden)]
            words = ("tepui.engines.registry", "tepui.engines.rounds")
            assert all(name.startswith(words) for name in used), path.name


def test_few_places_ask_whether_a_system_is_that_of_a_program() -> None:
    asking = re.compile(r"isinstance\([^)]*\bLoweredSystem\b")
    assert _names(path for path in MODULES if asking.search(_text(path))) == [
        "python/tepui/kernels/lowered_system.py",
        "python/tepui/watching/views.py",
    ]


def test_only_a_pass_itself_asks_whether_it_made_a_program() -> None:
    """Others look up in a table, by `made_by`, what they want to know of it."""
    asking = re.compile(r"isinstance\([^)]*\bSlotted\b")
    assert _names(path for path in MODULES if asking.search(_text(path))) == [
        "python/tepui/program/passes/slots.py"
    ]


def test_only_two_doors_lead_to_compiled_code() -> None:
    callers = [path for path in MODULES if CORE_MODULE in _imported_parts(path)]
    assert _names(callers) == [DOOR, "python/tepui/kernels/door.py"]


def test_starting_up_loads_neither_the_terminal_library_nor_commands_not_asked_for() -> None:
    loaded = _loaded_by("import tepui.cli.app")
    assert "tepui.cli.app" in loaded
    assert not {"rich", "tepui._core", "tepui.deciding", "tepui.cli.verify"} & loaded


def _loaded_by(statement: str) -> set[str]:
    """The modules that are loaded after a statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def _imported_parts(path: Path) -> set[str]:
    """The parts of tepui that a module imports: `tepui.model` for `tepui.model.system`."""
    return {".".join(name.split(".")[:2]) for name in _imported(path)}


@cache
def _imported(path: Path) -> set[str]:
    """The modules of tepui that a module imports, anywhere in it. `from a import b` counts as both:
    b may be a module."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(_text(path))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name}: a relative import"
            modules |= {f"{node.module}.{name.name}" for name in node.names}
            modules |= {node.module or ""} - {"tepui"}
        elif isinstance(node, ast.Import):
            modules |= {name.name for name in node.names}
    return {name for name in modules if f"{name}.".startswith("tepui.")}


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _names(paths: Iterable[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]
