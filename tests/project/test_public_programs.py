"""The public Boolean programs: every file is translated, or refused by name with its reason.

They are found where TEPUI_BENCHMARKS says. Verdicts are those that the suites themselves state.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from support.oracles.fork_interpreter import explore as explore_forks
from support.oracles.programs import explore
from tepui.deciding import verify
from tepui.errors import InputError
from tepui.languages.boolean import load_program
from tepui.languages.source import Source
from tepui.program.program import Program
from tepui.program.validate import validate

ROOT = Path(os.environ.get("TEPUI_BENCHMARKS", "")) / "bp"
FILES = (
    sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("*/*bp"))
    if "TEPUI_BENCHMARKS" in os.environ
    else []
)

PASSIVE = "tepui does not support passive copies"
LABEL = "expected a label of 'main', found "

CREATES_IN_A_LOOP = [
    "boppo/Threads3.bp",
    "satabs/01_inc_l_it1of2.bp",
    "satabs/01_inc_l_it1of2.nbp",
    "satabs/01_inc_l_it2of2.bp",
    "satabs/01_inc_l_it2of2.nbp",
    "satabs/02_inc_c_it2of4.bp",
    "satabs/02_inc_c_it2of4.nbp",
    "satabs/02_inc_c_it3of4.bp",
    "satabs/02_inc_c_it3of4.nbp",
    "satabs/03_PrngSimp-C_it1of2.bp",
    "satabs/03_PrngSimp-C_it1of2.nbp",
    "satabs/04_PrngSimp-L_it2of2.bp",
    "satabs/05_maxsim_l_it1of2.bp",
    "satabs/05_maxsim_l_it1of2.nbp",
    "satabs/06_maxsim_c_it2of2.bp",
    "satabs/07_maxopt_l_it1of2.bp",
    "satabs/07_maxopt_l_it1of2.nbp",
    "satabs/08_maxopt_c_it1of2.bp",
    "satabs/09_Stack-L_it1of3.bp",
    "satabs/10_Stack-C_it1of2.bp",
    "satabs/15_Boop_it4of4.bp",
    "satabs/16_QRCU-2_it16of16.bp",
    "satabs/16_QRCU-2_it2of16.bp",
    "satabs/16_QRCU-2_it8of16.bp",
    "satabs/17_QRCU-4_it14of28.bp",
    "satabs/17_QRCU-4_it27of28.bp",
    "ucob/01_inc_l_satabs.2.bp",
    "ucob/test11.bp",
]
"""Any number of threads, which are forked."""

FEWEST_CONTEXTS = {
    "boppo/Threads3.bp": 3,
    "satabs/01_inc_l_it1of2.bp": 2,
    "satabs/03_PrngSimp-C_it1of2.bp": 3,
    "satabs/09_Stack-L_it1of3.bp": 2,
    "ucob/test11.bp": 2,
}
"""Those of them that are small enough for brute force."""

GOES_TO_A_LABEL_THAT_IS_NOT_THERE = {
    "satabs/04_PrngSimp-L_it2of2.nbp": (40, "70"),
    "satabs/06_maxsim_c_it2of2.nbp": (79, "80"),
    "satabs/08_maxopt_c_it1of2.nbp": (109, "80"),
    "satabs/09_Stack-L_it1of3.nbp": (41, "94"),
    "satabs/10_Stack-C_it1of2.nbp": (44, "100"),
    "satabs/15_Boop_it4of4.nbp": (176, "134"),
    "satabs/16_QRCU-2_it16of16.nbp": (61, "170"),
    "satabs/16_QRCU-2_it2of16.nbp": (58, "170"),
    "satabs/16_QRCU-2_it8of16.nbp": (61, "170"),
    "satabs/17_QRCU-4_it14of28.nbp": (63, "362"),
    "satabs/17_QRCU-4_it27of28.nbp": (63, "362"),
}
"""These were made from the `.bp` files by replacing `l1` by its number, also in `l10`."""

HAS_PASSIVE_COPIES = {"ucob/01_inc_l.1.bp": 28, "ucob/01_inc_l.1.nbp": 28, "ucob/test9.bp": 110}

REFUSED = {
    **{
        name: (line, f"{LABEL}'{label}'")
        for name, (line, label) in GOES_TO_A_LABEL_THAT_IS_NOT_THERE.items()
    },
    **{name: (line, PASSIVE) for name, line in HAS_PASSIVE_COPIES.items()},
}

VERDICTS = {
    "boppo/Constrain2.bp": "safe",
    "boppo/Constrain4.bp": "safe",
    "boppo/Fixpoint1.bp": "safe",
    "boppo/Function1.bp": "safe",
    "boppo/Initialization1.bp": "unsafe",
    "boppo/Initialization2.bp": "unsafe",
    "boppo/Return1.bp": "safe",
    "boppo/Return2.bp": "safe",
    "boppo/Simple1.bp": "unsafe",
    "boppo/Simple3.bp": "safe",
    "boppo/SimpleFixpoint.bp": "safe",
    "boppo/Threads1.bp": "unsafe",
    "boppo/Threads3.bp": "unsafe",
    "boppo/Threads6.bp": "unsafe",
    "boppo/n-conc.bp": "unsafe",
    "boppo/n-conc2.bp": "unsafe",
}
"""The verdicts of small programs."""

THREADS = {
    "boppo/Threads6.bp": ["main", "foo*2"],
    "boppo/n-conc.bp": ["main", "bar_1", "foo_1"],
    "getafix/regression_fib_3_safe.bp": ["init", "thread1", "thread2", "main"],
    "getafix/regression_example.bp": ["main"],
    "ucob/test6.bp": ["main", "main#2"],
}


@pytest.mark.parametrize("name", FILES)
def test_every_public_program_is_translated_or_refused_by_name(name: str) -> None:
    if name not in REFUSED:
        program = read(name)
        validate(program)
        assert program.forks == (name in CREATES_IN_A_LOOP)
        if name.startswith("getafix") and "example" not in name:
            _assert_threads_lock_and_error_of_getafix(program)
        return
    with pytest.raises(InputError) as caught:
        read(name)
    line, reason = REFUSED[name]
    assert caught.value.line == line
    assert reason in caught.value.message


@pytest.mark.parametrize("name", CREATES_IN_A_LOOP)
def test_programs_that_create_threads_in_a_loop_fork_them(name: str) -> None:
    require_files()
    program = read(name)
    assert program.forks
    assert [thread.name for thread in program.threads] == ["main"]


def test_the_table_of_refused_programs_has_no_others() -> None:
    require_files()
    assert set(REFUSED) <= set(FILES)


def test_every_program_of_the_manifest_is_there() -> None:
    require_files()
    listed = {row["file"] for row in manifest() if row["role"] != "doc"}
    assert listed == set(FILES)


def test_small_programs_have_the_verdicts_of_their_suites() -> None:
    require_files()
    stated = {
        row["file"]: row["expected"]
        for row in manifest()
        if row["file"].startswith("boppo") and row["expected"] != "unknown"
    }
    assert {name: VERDICTS.get(name) for name in stated if name not in REFUSED} == {
        name: verdict for name, verdict in stated.items() if name not in REFUSED
    }
    assert {name: brute_force(read(name)) for name in VERDICTS} == VERDICTS


@pytest.mark.parametrize(("name", "contexts"), FEWEST_CONTEXTS.items())
def test_programs_that_fork_are_violated_with_the_fewest_contexts(name: str, contexts: int) -> None:
    require_files()
    program = read(name)
    assert explore_forks(program, contexts, threads=3, height=3).unsafe == contexts
    result = verify(program)
    assert (result.verdict, result.bound, result.checked) == ("unsafe", contexts, True)


def test_public_programs_have_the_threads_that_they_say() -> None:
    require_files()
    assert {name: thread_names(read(name)) for name in THREADS} == THREADS


def _assert_threads_lock_and_error_of_getafix(program: Program) -> None:
    first, *others = program.threads
    assert first.name == "init"
    assert others
    assert all(thread.created and thread.count == 1 for thread in others)
    assert program.lock is not None
    assert program.lock.name == "atomic"
    assert program.error_labels == ("SLIC_ERROR",)


def require_files() -> None:
    if not FILES:
        pytest.skip("TEPUI_BENCHMARKS names no folder with the public benchmarks")


def read(name: str) -> Program:
    return load_program(Source.of_file(ROOT / name))


def manifest() -> list[dict[str, str]]:
    with (ROOT / "MANIFEST.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def brute_force(program: Program) -> str:
    """The verdict on the assertions and error labels of a program."""
    if program.forks:
        assert explore_forks(program, 3, threads=3).unsafe is not None
        return "unsafe"
    findings = explore(program)
    assert findings.collapsed
    facts = [
        findings.first("unsafe"),
        *(findings.first("label", name) for name in program.error_labels),
    ]
    return "safe" if all(fact is None for fact in facts) else "unsafe"


def thread_names(program: Program) -> list[str]:
    return [t.name if t.count == 1 else f"{t.name}*{t.count}" for t in program.threads]
