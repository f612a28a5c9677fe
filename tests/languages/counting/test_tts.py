"""Thread transition systems: every kind of transition, the bad states beside them, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tepui.cli.model_file import read_net
from tepui.cli.option_names import OPTIONS
from tepui.errors import InputError, UsageError
from tepui.languages.counting.tts import read_tts
from tepui.languages.source import Source
from tepui.model.net import Net, Row
from tepui.parameter_names import speaking

HEAD = "2 4\n"
"""Two shared states, which are the places 0 and 1; the four local states are the places 2 to 5."""


def _net(text: str, *targets: str) -> Net:
    return read_tts(Source.of_text(HEAD + text, "a.tts"), None, targets or ("1|0",)).net


def _rows(text: str) -> dict[int, tuple[tuple[int, ...], int]]:
    (transition,) = _net(text).transitions
    return {row.place: (row.sources, row.constant) for row in transition.rows}


def test_places_are_shared_states_and_then_local_states() -> None:
    net = _net("0 0 -> 1 1\n")
    assert net.places == ("shared 0", "shared 1", "local 0", "local 1", "local 2", "local 3")
    assert net.initial == ((1, 1), (0, 0), (0, None), (0, 0), (0, 0), (0, 0))
    assert net.transitions[0].guard == ((0, 1), (2, 1))
    assert (net.transitions[0].text, net.transitions[0].line) == ("0 0 -> 1 1", 2)


def test_a_thread_moves() -> None:
    assert _rows("0 0 -> 1 1") == {0: ((0,), -1), 1: ((1,), 1), 2: ((2,), -1), 3: ((3,), 1)}


def test_a_step_within_a_shared_state_moves_the_thread_alone() -> None:
    assert _rows("0 0 -> 0 1") == {2: ((2,), -1), 3: ((3,), 1)}


def test_a_thread_starts_another() -> None:
    assert _rows("0 0 +> 0 1") == {3: ((3,), 1)}
    assert _rows("0 0 +> 0 0") == {2: ((2,), 1)}


def test_all_threads_at_a_place_move() -> None:
    (transition,) = _net("0 1 ~> 1 2").transitions
    assert transition.guard == ((0, 1),)
    assert Row(4, (3, 4), 0) in transition.rows
    assert Row(3, (), 0) in transition.rows


def test_others_move_along() -> None:
    """The thread itself goes where it goes, and not with the others at its place."""
    assert _rows("0 0 -> 0 1  2 ~> 3") == {
        2: ((2,), -1),
        3: ((3,), 1),
        4: ((), 0),
        5: ((4, 5), 0),
    }
    assert _rows("0 0 -> 0 1  0 ~> 3") == {2: ((), 0), 3: ((3,), 1), 5: ((2, 5), -1)}


def test_comments_and_equal_transitions_are_left_out() -> None:
    net = _net("# nothing\n0 0 -> 1 1 # once\n\n0  0 -> 1 1\n")
    assert len(net.transitions) == 1


def test_bad_states_stand_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.tts"
    file.write_text(HEAD + "0 0 -> 1 1\n")
    (tmp_path / "a.tts.prop").write_text("1|1,1\n# more\n0|2\n1|\n")
    net = read_net(file, None, None, None).net
    assert net.name == "a"
    assert net.targets == (((1, 1), (3, 2)), ((0, 1), (4, 1)), ((1, 1),))
    assert read_net(file, None, None, ["0|3,1"]).net.targets == (((0, 1), (3, 1), (5, 1)),)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected the numbers of shared and of local states"),
        ("2\n", 1, 1, "the numbers of shared and of local states, no more"),
        ("2 3 4\n", 1, 5, "the numbers of shared and of local states, no more"),
        ("2 x\n", 1, 3, "expected a number of states, which is a number"),
        ("0 3\n", 1, 1, "expected at least one state"),
        ("2 9999999\n", 1, 3, "expected a number of states from 0 to 1000000"),
        ("2 3\n0 0 => 1 1\n", 2, 5, "expected a transition such as"),
        ("2 3\n0 0 -> 1\n", 2, 8, "expected a transition such as"),
        ("2 3\n0 0 -> 2 1\n", 2, 8, "expected a shared state from 0 to 1"),
        ("2 3\n0 3 -> 1 1\n", 2, 3, "expected a local state from 0 to 2"),
        ("2 3\n0 a -> 1 1\n", 2, 3, "expected a local state, which is a number"),
        ("2 3\n0 0 -> 1 1 2\n", 2, 12, "expected the end of the line, or a pair"),
        ("2 3\n0 0 +> 1 1 1 ~> 2\n", 2, 12, "other threads move with -> only"),
        ("2 3\n0 0 -> 1 1 1 ~> 2 1 ~> 0\n", 2, 19, "threads at 1 go to two places"),
        ("2 3\n0 ² -> 1 1\n", 2, 3, "expected a local state, which is a number"),
    ],
)
def test_a_typo_has_a_line_and_a_column(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_tts(Source.of_text(text, "a.tts"), None, ["0|0"])
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected a bad state such as"),
        ("# none\n", 1, 7, "expected a bad state such as"),
        ("1\n", 1, 1, "expected a bad state such as"),
        ("0|0\n1 0\n", 2, 3, "expected a bad state such as"),
        ("1|4\n", 1, 3, "expected a local state from 0 to 3"),
        ("2|0\n", 1, 1, "expected a shared state from 0 to 1"),
        ("1|0 1\n", 1, 5, "expected a comma, or the end of the line"),
        ("1|0,\n", 1, 4, "expected a local state after the comma"),
    ],
)
def test_a_typo_in_a_bad_state_has_a_line_and_a_column(
    text: str, line: int, column: int, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tts"
    file.write_text(HEAD)
    (tmp_path / "a.tts.prop").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_net(file, None, None, None)
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "a.tts.prop"), line)
    assert caught.value.column == column


def test_without_bad_states_there_is_no_question() -> None:
    with speaking(OPTIONS), pytest.raises(UsageError, match=r"a\.tts asks no question: .*--target"):
        read_tts(Source.of_text(HEAD, "a.tts"))


def test_an_initial_state_is_refused() -> None:
    with speaking(OPTIONS), pytest.raises(UsageError, match="--init is for pushdown systems"):
        read_tts(Source.of_text(HEAD, "a.tts"), "0|0", ["0|0"])
