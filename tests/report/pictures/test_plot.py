"""Plots of observation sequences: what they show, and what they leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from xml.etree import ElementTree

import pytest

import tepui
from support.cli import FIGURE4
from support.places import EXAMPLES
from tepui.engines.rounds import Delayed, Round
from tepui.report.pictures.colours import DARK, LIGHT
from tepui.report.pictures.plot import observation_plot, plot, sequence_plot
from tepui.report.pictures.plotted_sequence import Mark, Observed, observed_by, observed_in
from tepui.report.pictures.scales import Scale, count_label, scale_for
from tepui.result import Result

SVG = "{http://www.w3.org/2000/svg}"


def explored(name: str, **options: object) -> Result:
    return tepui.explore(tepui.load(EXAMPLES / name), options=tepui.Options(**options))  # type: ignore[arg-type]


def sequence(
    states: Iterable[int | None], seen: Iterable[int], **more: Mark | int | None
) -> Observed:
    counts = tuple(seen)
    return Observed("s", tuple(range(len(counts))), tuple(states), counts, **more)  # type: ignore[arg-type]


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def of_class(svg: str, name: str) -> list[ElementTree.Element]:
    return [each for each in drawn(svg).iter() if name in each.get("class", "").split()]


def words(svg: str) -> list[str]:
    return [text.text or "" for text in drawn(svg).iter(f"{SVG}text")]


def titles(elements: Iterable[ElementTree.Element]) -> list[str]:
    return [each.findtext(f"{SVG}title") or "" for each in elements]


def test_every_point_tells_its_exact_numbers() -> None:
    svg = observation_plot(explored("figure4.cpds"))
    assert titles(of_class(svg, "seen-point")) == [
        "0 contexts: 1 state, 1 visible state, 1 of them new",
        "1 context: 3 states, 3 visible states, 2 of them new",
        "2 contexts: 6 states, 6 visible states, 3 of them new",
        "3 contexts: 8 states, 6 visible states, 0 of them new",
        "4 contexts: 11 states, 7 visible states, 1 of them new",
        "5 contexts: 14 states, 8 visible states, 1 of them new",
    ]
    assert len(of_class(svg, "states-point")) == 3


def test_a_stutter_and_the_collapse_are_marked() -> None:
    svg = observation_plot(explored("figure4.cpds"))
    assert {"stutter", "collapsed at 5", "T(Z): 8, no more can emerge"} <= set(words(svg))
    (told,) = titles(of_class(svg, "stutter"))
    assert told.startswith("stutter: it pauses at 2 contexts: 6 states")
    assert "grows again: 4 contexts: 11 states" in told
    assert not of_class(svg, "violated")
    assert [each.get("x1") for each in of_class(svg, "collapsed")] == [
        of_class(svg, "seen-point")[-1].get("cx")
    ]


def test_the_violation_is_marked_and_no_collapse() -> None:
    svg = observation_plot(tepui.verify(tepui.load(EXAMPLES / "bluetooth1.bp")))
    assert "violated at 3" in words(svg)
    assert not of_class(svg, "collapsed")


def test_infinitely_many_states_are_a_sign_and_no_point() -> None:
    svg = observation_plot(explored("two-wheels.cpds"))
    signs = of_class(svg, "infinity")
    assert [sign.text for sign in signs] == ["∞"] * 3
    assert titles(signs)[0] == "1 context: ∞ states, 6 visible states, 5 of them new"
    assert not of_class(svg, "states-point")
    assert len(of_class(svg, "to-infinity")) == 1


def test_rounds_and_delays_are_on_the_axis_where_these_are_counted() -> None:
    svg = observation_plot(explored("figure2.cpds", engine="delay"))
    assert {"rounds", "delays", "collapsed at 10 rounds and 1 delay"} <= set(words(svg))
    assert "contexts" not in words(svg)
    last = titles(of_class(svg, "seen-point"))[-1]
    assert last == "10 rounds and 1 delay: 230 states, 26 visible states, 1 of them new"


def test_a_violation_by_delays_is_where_both_bounds_cover_it() -> None:
    rounds = [
        Round(k, k + 1, k + 1, 1, 0.0, Delayed(*bound, k + 1, 0))
        for k, bound in enumerate([(0, 0), (1, 0), (2, 0), (2, 1), (3, 1)])
    ]
    result = explored("figure4.cpds").with_statistics(rounds=tuple(rounds))
    result = replace(result, verdict="unsafe", resource="delays", bound=1, bound_rounds=1)
    assert observed_by(result).violated == Mark(3, "violated at 1 round and 1 delay")
    result = replace(result, bound_rounds=3)
    assert observed_by(result).violated == Mark(4, "violated at 3 rounds and 1 delay")
    result = replace(result, bound_rounds=4)
    assert observed_by(result).violated == Mark(5, "violated at 4 rounds and 1 delay")
    assert "violated at 4 rounds and 1 delay" in words(observation_plot(result))


def test_the_last_plateau_differs_from_stutters_and_by_whether_it_is_proved() -> None:
    seen = [1, 1, 2, 2, 2]
    open_end = sequence_plot(sequence(seen, seen))
    assert len(of_class(open_end, "stutter")) == len(of_class(open_end, "plateau")) == 1
    assert "not known to grow again" in titles(of_class(open_end, "plateau"))[0]
    proved = sequence_plot(sequence(seen, seen, collapsed=Mark(2, "collapsed at 2")))
    assert not of_class(proved, "plateau")
    assert "never grows again" in titles(of_class(proved, "collapse"))[0]


def test_no_round_at_all_is_told() -> None:
    svg = sequence_plot(sequence([], []))
    assert words(svg) == ["no bound was completed"]


def test_one_round_is_told_by_bars_with_what_was_concluded() -> None:
    svg = observation_plot(tepui.verify(tepui.load(FIGURE4)))
    assert words(svg) == [
        *("within 0 contexts", "proved: Z (matched) has no bad state"),
        *("states", "1", "visible states", "1", "T(Z)", "8, no more can emerge"),
    ]
    widths = [float(bar.get("width", 0)) for bar in drawn(svg).findall(f".//{SVG}rect[@y]")]
    assert widths == [37.5, 37.5, 300]
    told = drawn(svg).findtext(f"{SVG}desc") or ""
    assert told.endswith("Proved: Z (matched) has no bad state.")


def test_one_round_says_what_is_infinite_violated_or_not_known() -> None:
    infinite = sequence_plot(sequence([None], [5], z_visible=10**20))
    assert {"∞", "5", "10²⁰, no more can emerge", "log scale"} <= set(words(infinite))
    assert "violated at 1" in words(
        sequence_plot(sequence([1], [1], violated=Mark(1, "violated at 1")))
    )
    limits = tepui.Limits(max_contexts=0)
    stopped = tepui.verify(tepui.load(FIGURE4), options=tepui.Options(strengths=(), limits=limits))
    assert "the limit of 0 contexts was reached" in words(observation_plot(stopped))


def test_equal_values_are_a_level_line() -> None:
    svg = sequence_plot(sequence([7] * 9, [7] * 9))
    assert len({each.get("cy") for each in of_class(svg, "seen-point")}) == 1
    assert "states, visible states" in words(svg)


def test_numbers_beyond_any_float_are_drawn() -> None:
    counts = [10 ** (10 * k) for k in range(41)]
    svg = sequence_plot(sequence(counts, [k + 1 for k in range(41)]))
    assert "10⁴⁰⁰" in words(svg)
    assert "log scale" in words(svg)
    assert f"{10**400:,} states" in titles(of_class(svg, "states-point"))[-1]
    beyond = sequence_plot(sequence([1, 10**9999], [1, 10**9998]))
    assert {"10⁹⁹⁹⁹", "10⁹⁹⁹⁸"} <= set(words(beyond))


def test_a_logarithm_is_taken_only_where_it_helps() -> None:
    assert not scale_for([1, 50], 0, 1).logarithmic
    assert scale_for([1, 51], 0, 1).logarithmic
    assert not scale_for([10**6, 2 * 10**6], 0, 1).logarithmic


@pytest.mark.parametrize(
    ("high", "logarithmic", "expected"),
    [
        (8, False, [0, 2, 4, 6, 8]),
        (14, False, [0, 5, 10]),
        (1, False, [0, 1]),
        (1337, True, [1, 10, 100, 1000]),
        (70, True, [1, 2, 5, 10, 20, 50]),
        (10**30, True, [10**power for power in range(0, 31, 5)]),
    ],
)
def test_ticks_are_those_that_people_would_choose(
    high: int, logarithmic: bool, expected: list[int]
) -> None:
    low = 1 if logarithmic else 0
    assert Scale(low, high, 0, 1, logarithmic).ticks(7) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0"),
        (1000, "1,000"),
        (10**6, "10⁶"),
        (2 * 10**6, "2·10⁶"),
        (52_242_776_064, "5.22·10¹⁰"),
        (10**15 - 1, "9.99·10¹⁴"),
    ],
)
def test_counts_are_short(value: int, expected: str) -> None:
    assert count_label(value) == expected


@pytest.mark.parametrize(
    "seen",
    [range(1, 9001), [k // 2 for k in range(2, 9002)], [max(1, k // 3000) for k in range(9000)]],
)
def test_thousands_of_rounds_stay_small(seen: Iterable[int]) -> None:
    counts = list(seen)
    svg = sequence_plot(sequence([k * k + 1 for k in range(len(counts))], counts))
    assert len(svg) < 60_000
    assert f"Within 8,999 contexts: {8999**2 + 1:,} states" in svg


def test_what_is_thinned_out_keeps_every_change() -> None:
    seen = [1] * 3000 + [2] + [3] * 3000
    svg = sequence_plot(sequence(seen, seen))
    assert [
        int(text.split(":")[0].split()[0].replace(",", ""))
        for text in titles(of_class(svg, "seen-point"))
    ] == [*(0, 2999, 3000, 3001, 6000)]
    assert len(of_class(svg, "bar")) == 3


def test_the_largest_growth_of_a_pixel_is_shown() -> None:
    seen = [k + (1000 if k > 4321 else 0) for k in range(1, 9001)]
    svg = sequence_plot(sequence(seen, seen))
    (bars,) = of_class(svg, "bars")
    heights = [float(y) for y in re.findall(r"M\S+ (\S+?)V", bars.get("d", ""))]
    assert sum(height < min(heights) + 1 for height in heights) == 1


def test_names_of_many_stutters_become_a_number() -> None:
    seen = [k // 2 for k in range(2, 42)]
    assert "19 stutters" in words(sequence_plot(sequence(seen, seen)))


def test_the_name_of_a_short_plateau_keeps_clear_of_the_last_values() -> None:
    svg = sequence_plot(sequence(range(1, 100), [*range(1, 99), 98]))
    found = {each.text: float(each.get("x", 0)) for each in drawn(svg).iter(f"{SVG}text")}
    assert found["plateau"] + 6.4 * len("plateau") / 2 < found["states"]


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_text_can_be_read_on_every_paper(colours: Mapping[str, str]) -> None:
    """The contrast that WCAG 2 wants at level AA."""
    papers = [name for name in colours if name.endswith("paper") or name in ("panel", "highlight")]
    inks = ["ink", "muted", "accent", "safe", "unsafe", "open"]
    poor = [
        (ink, paper)
        for paper in papers
        for ink in inks
        if contrast(colours[ink], colours[paper]) < 4.5
    ]
    assert poor == []


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_everything_is_inside_of_the_picture() -> None:
    for name in ("figure4.cpds", "two-wheels.cpds", "token-ring.cpds"):
        root = drawn(observation_plot(explored(name)))
        _, _, width, height = map(float, root.get("viewBox", "").split())
        for each in root.iter(f"{SVG}text"):
            letters = 6.4 * len(each.text or "")
            left = (
                float(each.get("x", 0))
                - letters * {"start": 0, "middle": 0.5, "end": 1}[each.get("text-anchor", "start")]
            )
            assert left >= 0
            assert left + letters <= width
            assert 0 < float(each.get("y", 0)) < height


def test_a_reader_of_the_screen_is_told_the_same() -> None:
    root = drawn(observation_plot(explored("figure4.cpds")))
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Observation sequence of figure4"
    assert root.findtext(f"{SVG}desc") == (
        "Within 0 contexts: 1 state, 1 visible state, 1 of them new. "
        "Within 5 contexts: 14 states, 8 visible states, 1 of them new. "
        "It pauses and grows again 1 time. Collapsed at 5."
    )


def test_names_stay_text() -> None:
    svg = sequence_plot(Observed('a</title><script>"&\x00', (0,), (1,), (1,)))
    assert drawn(svg).findtext(f"{SVG}title") == (
        r'Observation sequence of a</title><script>"&\x00'
    )


def test_only_the_colours_that_all_share_are_used() -> None:
    svg = observation_plot(explored("figure4.cpds"))
    definitions = re.compile(r"--tepui-[a-z-]+:#[0-9a-f]{6};")
    assert definitions.search(svg)
    assert "#" not in definitions.sub("", svg)


def test_observations_and_what_was_watched_are_plotted_like_results() -> None:
    system = tepui.load(EXAMPLES / "figure4.cpds")
    observations = list(islice(tepui.observe(system), 6))
    assert observed_in(observations).seen == observed_by(tepui.explore(system)).seen
    picture = plot(observations)
    assert len(of_class(picture._repr_html_(), "seen-point")) == 6
    seen = tepui.watch(system, lambda state: state.shared)
    assert "new abstract states" in words(plot(seen).svg)
    assert plot(tepui.explore(system)).svg == observation_plot(tepui.explore(system))
