"""`--engine delay` and `abstract`, their bounds, and races, as people see them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.cli import FIGURE4, TOKEN_RING, Completed, call, run
from support.places import EXAMPLES
from support.schemas import schema

BLUETOOTH = str(EXAMPLES / "bluetooth1.bp")
DEADLOCK = str(EXAMPLES / "deadlock.cpds")
FORKING = str(EXAMPLES / "fork-figure4.bp")

FIRST_DELAY = "q0|1,-"
"""P1 has to be delayed once, or P2 cannot pop."""

ALWAYS = "for any number of contexts"


def headline(done: Completed) -> str:
    """The line with the verdict."""
    return next(line for line in done.out.splitlines() if re.match("[A-Z]+  ", line))


def facts(done: Completed) -> dict[str, str]:
    """The facts below the headline, by the word at the beginning of the line."""
    return dict(re.findall(r"^  (\w+) +(.+)$", done.out, re.M))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "q3|2,4"], "a bad state is reachable with 0 delays, within 2 rounds"),
        (["--target", FIRST_DELAY], "a bad state is reachable with 1 delay, within 1 round"),
        (["--target", "q0|1,4"], "a bad state is reachable with 0 delays, within 0 rounds"),
        ([], f"no bad state is reachable, {ALWAYS}"),
        (["--rounds", "3"], "no violation within 3 rounds, with any number of delays"),
        (["--rounds", "1"], "no violation within 1 round, with any number of delays"),
        (["--delays", "0"], "no violation within 0 delays, in any number of rounds"),
        (["--delays", "1"], "no violation within 1 delay, in any number of rounds"),
        (["--rounds", "9", "--delays", "2"], "no violation within 2 delays and 9 rounds"),
    ],
)
@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_a_verdict_is_told_in_delays_and_rounds(options: list[str], said: str, engine: str) -> None:
    done = call("verify", FIGURE4, "--engine", engine, *options)
    assert headline(done).partition(": ")[2] == said


def test_a_bound_chooses_the_engine_that_knows_it() -> None:
    for option in ("--rounds", "--delays"):
        assert facts(call("verify", FIGURE4, option, "1"))["engine"].startswith("delay: ")
        assert facts(call("explore", FIGURE4, option, "1"))["engine"].startswith("delay: ")


def test_a_program_is_told_in_delays_and_rounds() -> None:
    said = "assert(!stopped) at bluetooth1.bp:40 can be violated, with 4 delays, within 10 rounds"
    done = call("verify", BLUETOOTH, "--engine", "delay")
    assert headline(done) == f"UNSAFE  bluetooth1.bp: {said}"
    assert facts(done)["evidence"] == "trace, accepted by the checker"
    assert "violated with 4 delays, within 10 rounds" in (
        call("verify", BLUETOOTH, "--engine", "delay", "--all").out
    )
    assert "not violated within 3 rounds, with any number of delays" in (
        call("verify", BLUETOOTH, "--rounds", "3", "--all").out
    )


def test_what_was_explored_is_told_with_its_images() -> None:
    done = call("explore", FIGURE4, "--engine", "delay")
    explored = facts(done)["explored"]
    assert explored == "1 delay, 5 rounds, 12 states, 8 visible (20 images)"
    assert headline(done).endswith(
        "exactly 8 visible states are reachable, all within 1 delay and 5 rounds"
    )


def test_with_two_symbols_of_each_stack_their_number_is_told() -> None:
    done = call("explore", FIGURE4, "--engine", "delay", "--tops", "2")
    told = facts(done)
    assert "8 visible, 13 with the top 2 symbols (" in told["explored"]
    assert headline(done).endswith(
        "exactly 8 visible states are reachable, 13 with the top 2 symbols of each stack, "
        "all within 1 delay and 7 rounds"
    )
    columns = done.out.splitlines()[0]
    assert re.split(r"  +| (?=delays)", columns.strip()) == [
        *("rounds", "delays", "states", "visible", "top 2", "new", "images", "seconds")
    ]


def test_the_table_of_explore_counts_rounds_and_delays() -> None:
    done = call("explore", FIGURE4, "--rounds", "3", "--delays", "1")
    assert done.code == 3
    rows = [line.split()[:-1] for line in done.out.splitlines()[:6]]
    assert rows == [
        ["rounds", "delays", "states", "visible", "new", "images"],
        ["0", "0", "1", "1", "1", "0"],
        ["1", "0", "3", "3", "2", "2"],
        ["2", "0", "4", "4", "1", "4"],
        ["3", "0", "6", "5", "1", "6"],
        ["3", "1", "8", "7", "2", "12"],
    ]


def test_a_long_table_is_shortened_in_the_middle() -> None:
    done = call("explore", FIGURE4, "--z", "off", "--rounds", "150", "--delays", "150")
    table = done.out.partition("STOPPED")[0].splitlines()
    assert len(table) == 1 + 100 + 1 + 100
    assert re.fullmatch(r" +… \d+ lines left out …", table[101])
    assert table[-1].split()[0] == "150"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--rounds", "2"], "the limit of 2 rounds was reached"),
        (["--rounds", "1"], "the limit of 1 round was reached"),
        (["--delays", "0"], "the limit of 0 delays was reached"),
        (["--rounds", "2", "--delays", "1"], "the limit of 1 delay and 2 rounds was reached"),
    ],
)
def test_explore_stops_at_a_bound_and_says_so(options: list[str], why: str) -> None:
    done = call("explore", FIGURE4, *options)
    assert (done.code, headline(done)) == (3, f"STOPPED  figure4: {why}")


def test_explore_collapses_within_a_bound_that_is_large_enough() -> None:
    done = call("explore", FIGURE4, "--rounds", "9", "--delays", "9")
    assert (done.code, headline(done).split()[0]) == (0, "COLLAPSED")


@pytest.mark.parametrize(
    ("options", "proof"),
    [
        (["explore", FIGURE4, "--engine", "delay"], "T(R(r, d)) = T(Z): all that can emerge was"),
        (["explore", DEADLOCK, "--engine", "delay", "--z", "off"], "R(r, d) = R(r+1, d+n-1): ever"),
        (["verify", FIGURE4, "--engine", "abstract"], "T(R(r, d)) is closed under all actions: no"),
        (["verify", FIGURE4, "--engine", "delay"], "Z (matched) has no bad state"),
    ],
)
def test_a_proof_is_told_with_its_reason(options: list[str], proof: str) -> None:
    assert facts(call(*options))["proof"].startswith(proof)


def test_a_trace_shows_who_is_delayed() -> None:
    done = call("verify", FIGURE4, "--engine", "delay", "--target", FIRST_DELAY)
    assert "\ncontext 1: thread P2\n" in done.out
    assert re.search(r"\n +q0 \| 1, - +by q0 \| 4 -> q0 \| - +\(delayed: P1\)\n", done.out)


def test_a_trace_of_a_program_shows_as_many_delays_as_it_has() -> None:
    done = call("verify", BLUETOOTH, "--engine", "delay")
    assert re.findall(r"\(delayed: (\w+)\)", done.out) == ["stop", "add", "add", "add"]


def test_a_trace_in_contexts_shows_nobody_delayed() -> None:
    assert "delayed" not in call("verify", BLUETOOTH).out
    assert "delayed" not in call("verify", FIGURE4, "--target", FIRST_DELAY).out


def test_evidence_that_counts_delays_is_accepted_and_says_so(tmp_path: Path) -> None:
    options = ("--target", FIRST_DELAY)
    call("verify", FIGURE4, *options, "--engine", "delay", "--evidence", "e.json", cwd=tmp_path)
    done = call("check", FIGURE4, "e.json", *options, cwd=tmp_path)
    assert done.code == 0
    assert "within 1 context (1 delay and 1 round of a round-robin scheduler)" in done.out


@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_certificates_of_these_engines_are_accepted(engine: str, tmp_path: Path) -> None:
    path = str(EXAMPLES / "peterson.cpds")
    done = call("verify", path, "--engine", engine, "--evidence", "e.json", cwd=tmp_path)
    assert done.code == 0
    assert call("check", path, "e.json", cwd=tmp_path).code == 0


@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_abstract_interpretation_does_not_take_tops_for_whole_stacks(engine: str) -> None:
    """The visible states are complete long before the stack is so high."""
    high = "q3 | *, 4 6 6 6 6 6 6 6 6 6 6+"
    done = call("verify", FIGURE4, "--engine", engine, "--reach", high, "--timeout", "60")
    assert (done.code, headline(done).split()[0]) == (1, "UNSAFE")


@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_coverage_is_exact_where_all_was_reached(engine: str) -> None:
    done = call("explore", BLUETOOTH, "--engine", engine)
    assert done.code == 0
    assert "\ncoverage: exact\n" in done.out
    assert "not reached" not in done.out


def test_coverage_within_a_bound_is_only_what_was_reached() -> None:
    done = call("explore", BLUETOOTH, "--rounds", "3", "--z", "off")
    assert done.code == 3
    assert "coverage: what is reached is certain" in done.out


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["verify", "--engine", "delay"], 1),
        (["verify", "--engine", "delay", "--all"], 1),
        (["verify", "--rounds", "3"], 4),
        (["verify", "--rounds", "3", "--all"], 4),
        (["explore", "--engine", "abstract"], 0),
        (["explore", "--delays", "0", "--z", "off"], 3),
        (["explore", "--engine", "delay", "--tops", "2"], 0),
    ],
)
def test_the_json_of_a_program_fits_the_schema(args: list[str], code: int) -> None:
    command, *options = args
    done = call(command, BLUETOOTH, *options, "--json")
    assert done.code == code
    Draft202012Validator(schema("result")).validate(done.json)


def test_the_trace_of_a_program_tells_its_schedule_in_json() -> None:
    found = call("verify", BLUETOOTH, "--engine", "delay", "--json").json
    assert found["trace"]["schedule"] == {"rounds": 10, "delays": 4}
    assert (found["bound"], found["bound_rounds"]) == (4, 10)
    assert call("verify", BLUETOOTH, "--json").json["trace"]["schedule"] is None


@pytest.mark.parametrize("engine", ["delay", "abstract"])
def test_a_program_that_forks_is_verified(engine: str) -> None:
    assert call("verify", FORKING, "--engine", engine).code == 0
    assert call("verify", FORKING, "--engine", engine, "--rounds", "5").code == 4


@pytest.mark.parametrize("name", ["fork-figure4", "fork-crowd"])
def test_explore_of_a_program_that_forks_stops_at_a_bound(name: str) -> None:
    done = call("explore", str(EXAMPLES / f"{name}.bp"), "--rounds", "3", "--z", "off")
    assert done.code == 3
    assert headline(done) == f"STOPPED  {name}.bp: the limit of 3 rounds was reached"


@pytest.mark.parametrize("command", ["verify", "explore"])
def test_a_program_that_forks_without_end_is_still_answered(command: str) -> None:
    done = call(command, str(EXAMPLES / "fork-crowd.bp"), "--engine", "delay")
    assert done.code == (0 if command == "verify" else 3)
    assert done.err == ""


def test_the_loser_of_a_race_is_told() -> None:
    told = facts(call("verify", TOKEN_RING, "--z", "off"))
    assert told["others"].startswith("explicit: 10 contexts, 177,145 states, overtaken; plain: ")
    assert "others" not in facts(call("verify", TOKEN_RING, "--z", "off", "--engine", "diagram"))


def test_side_by_side_losers_are_told_too() -> None:
    told = facts(call("verify", TOKEN_RING, "--z", "off", "--jobs", "2"))
    assert re.match(r"explicit: \d+ contexts, [\d,]+ states, (cancelled|overtaken)", told["others"])


@pytest.mark.parametrize("jobs", ["2", "3"])
@pytest.mark.parametrize(
    "args",
    [
        ["verify", FIGURE4],
        ["verify", FIGURE4, "--target", "q3|2,4"],
        ["verify", BLUETOOTH],
        ["verify", BLUETOOTH, "--all"],
        ["verify", BLUETOOTH, "--contexts", "2"],
        ["explore", FIGURE4],
        ["explore", BLUETOOTH],
    ],
    ids=" ".join,
)
def test_a_race_side_by_side_has_the_same_answer(args: list[str], jobs: str) -> None:
    alone, race = call(*args), call(*args, "--jobs", jobs)
    assert (race.code, race.err) == (alone.code, "")


def test_output_into_a_file_has_no_colours_and_no_live_table() -> None:
    for options in (["--engine", "delay"], ["--jobs", "2"]):
        done = run("explore", FIGURE4, *options)
        assert (done.code, done.err) == (0, "")
        assert "\x1b" not in done.out
