"""Z of some threads among any number of others: a certificate for recursive threads.

A *view* of a thread is its type, the frame on top of its stack, and whether something lies below; a
thread that is over has no frame. A certificate lists states, each a shared state and the views of
k different threads, and a relation *below* for each type: which frames, or ε for none, may lie
below a frame. Its claim is that for every reachable state of the program and any k threads of it,
the shared state and their views are listed.

**Why the checks are enough.** By induction over a run: the claim holds, and for each stack of a
thread of type T, below(f) has the frame g wherever g lies right below f, and ε where f is the last
and another frame lies above it, that is, where f is not on top. (What lies below the top is known
from its flag, and from *below* if the flag is on.)

- In the beginning, any k threads have views that are listed, and stacks have one frame.
- One of k threads moves, from the view v. Its step is that of a rule for the shared state and the
  frame on top, which the reference semantics gives. The other views stay. What the top becomes is
  known if the rule writes a frame: if it puts f above g, the flag is on, below(f) has g, and
  below(g) all that was under the old top; if it writes f alone, the flag stays, and below(f) has
  all that was under the old top. If it writes none, each frame that was under the old top may be on
  top now, with the flag off if ε is below it, and on if a frame is. *Under* a top with the flag off
  is ε, and with the flag on it is below(top) without ε.
- Another thread e moves. By the claim for the state before, each set of k of these k + 1 threads is
  listed with the shared state, so all states are listed in which e takes the place of one of the k.
  Then the state with the new shared state and the k views as before has to be listed.

There are never more threads of a type in one state than the program has. If it has fewer than k
threads, k is their number. All rules are asked for one thread of each type, as equal threads have
equal rules; threads that know themselves have none in common, and are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from tepui.checker.evidence import Bad, OpenCertificate, register
from tepui.checker.patience import STEPS_PER_PAIR, Patience
from tepui.checker.programs.state_tables import ProgramTables, check_tables
from tepui.errors import EvidenceError, ModelError
from tepui.program.layout import Frame, SameAs, SharedState
from tepui.program.program import Derived, Program
from tepui.program.semantics.edges import Configuration
from tepui.program.semantics.meaning import Meaning
from tepui.program.semantics.sections import points_inside
from tepui.records import record, replace

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer

MOST_OBSERVED = 3


class View(NamedTuple):
    """What is known of a thread: its type, the number of the frame on top (0 is none), and whether
    something lies below."""

    type: int
    top: int
    deep: bool


class ModularState(NamedTuple):
    """A shared state, by its number, and the views of some threads, sorted."""

    shared: int
    views: tuple[View, ...]


@register
@record
class ModularZ(OpenCertificate):
    """States of a few threads that are closed whatever any number of others do."""

    kinds: ClassVar = ("modular",)
    fields: ClassVar = ("observed", "shared", "frames", "states", "below")

    observed: int
    shared: tuple[SharedState, ...]
    """Shared states, by their numbers."""
    frames: tuple[tuple[Frame, ...], ...]
    """For each thread type, its frames, numbered from 1."""
    states: tuple[ModularState, ...]
    below: tuple[tuple[tuple[int, int], ...], ...]
    """For each thread type, which frame may lie below which; 0 is ε."""

    @property
    def size(self) -> int:
        return len(self.states)

    def check_program(
        self, program: Program, bad: Sequence[Bad], go_on: Callable[[], bool]
    ) -> None:
        if isinstance(program, Derived) or program.forks or program.layout.limits:
            raise EvidenceError("this evidence is about no program that forks or has limits")
        try:
            _Check(self, program, bad, Patience(go_on)).run(bad)
        except ModelError as error:
            raise EvidenceError(f"this evidence is about no such program: {error}") from error

    def fixed(self) -> Self:
        return self

    def body(self, writer: Writer) -> dict[str, Any]:
        return {
            "observed": self.observed,
            "shared": [_values_as_json(values) for values in self.shared],
            "frames": [
                [[frame.point, _values_as_json(frame.values)] for frame in some]
                for some in self.frames
            ],
            "states": (
                writer.line([state.shared, *([v.type, v.top, int(v.deep)] for v in state.views)])
                for state in self.states
            ),
            "below": [[list(pair) for pair in some] for some in self.below],
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        def numbers(value: Any, where: str, count: int | None = None) -> list[int]:
            found = [reader.a(int, each, where) for each in reader.items(value, where)]
            if count is not None and len(found) != count:
                reader.fail(where, f"expected {count} numbers")
            return found

        shared = [
            _values_from_json(reader, values, f"shared[{number}]")
            for number, values in enumerate(reader.items(fields["shared"], "shared"))
        ]
        frames = [
            tuple(
                _frame_from_json(reader, frame, f"frames[{number}]")
                for frame in reader.items(some, f"frames[{number}]")
            )
            for number, some in enumerate(reader.items(fields["frames"], "frames"))
        ]
        states = []
        for number, state in enumerate(reader.items(fields["states"], "states")):
            where = f"states[{number}]"
            first, *views = reader.items(state, where) or [None]
            read = [numbers(view, where, 3) for view in views]
            seen = tuple(View(kind, top, bool(deep)) for kind, top, deep in read)
            states.append(ModularState(reader.a(int, first, where), seen))
        below = [
            tuple(
                (first, second)
                for first, second in (
                    numbers(pair, "below", 2) for pair in reader.items(some, "below")
                )
            )
            for some in reader.items(fields["below"], "below")
        ]
        observed = reader.a(int, fields["observed"], "observed")
        return cls(observed, tuple(shared), tuple(frames), tuple(states), tuple(below))


def one_of_each(program: Program) -> Program:
    """The same program with one thread of each type, to ask what such a thread does."""
    return replace(program, threads=tuple(replace(each, count=1) for each in program.threads))


def observable(program: Program, observed: int) -> int:
    """How many threads can be observed at once, if that many are wanted."""
    counts = [each.count for each in program.threads]
    if None in counts:
        return observed
    return min(observed, sum(count or 0 for count in counts))


def fits(program: Program, views: Sequence[View]) -> bool:
    """Whether there are as many threads of each type."""
    threads = program.threads
    most = {number: threads[number].count for number in {view.type for view in views}}
    found = Counter(view.type for view in views)
    return all((limit := most[number]) is None or count <= limit for number, count in found.items())


def meaning_of_one(program: Program, bad: Sequence[Bad]) -> Meaning:
    """What a thread of each type does; a ModelError where threads know themselves."""
    single = one_of_each(program)
    if single.lock is not None:
        raise ModelError(f"{program.name} has a scheduler lock")
    for number, thread in enumerate(program.threads):
        if single.layout.knows_itself(number):
            raise ModelError(f"threads {thread.name} know themselves, so they are not equal")
    named = {point for some in bad for _, point in some}
    return Meaning(single, probes=points_inside(single) & named)


class _Check:
    def __init__(
        self, claimed: ModularZ, program: Program, bad: Sequence[Bad], patience: Patience
    ) -> None:
        self._claimed = claimed
        self._program = program
        self._patience = patience
        self._meaning = meaning_of_one(program, bad)
        self._states = frozenset(claimed.states)
        self._shared = {shared: number for number, shared in enumerate(claimed.shared)}
        self._frames = [
            {frame: number for number, frame in enumerate(some, start=1)} for some in claimed.frames
        ]
        self._below: list[dict[int, set[int]]] = []
        self._rules: dict[tuple[int, View], list[tuple[int, tuple[int, ...]]]] = {}

    def run(self, bad: Sequence[Bad]) -> None:
        self._check_form()
        self._check_initial()
        at: dict[int, dict[tuple[View, ...], list[View]]] = {}
        """For each shared state and all but one view of a listed state, the view left out."""
        for state in self._claimed.states:
            for place in range(len(state.views)):
                others = state.views[:place] + state.views[place + 1 :]
                at.setdefault(state.shared, {}).setdefault(others, []).append(state.views[place])
        for state in self._claimed.states:
            self._patience.spend(STEPS_PER_PAIR)
            self._check_not_bad(state, bad)
            self._check_own_steps(state)
            self._check_others(state, at[state.shared])

    def _check_form(self) -> None:
        claimed, types = self._claimed, range(len(self._program.threads))
        if not 1 <= claimed.observed <= MOST_OBSERVED:
            raise EvidenceError(f"from 1 to {MOST_OBSERVED} threads can be observed")
        observed = observable(self._program, claimed.observed)
        if observed != claimed.observed:
            raise EvidenceError(f"there are {observed} threads, and more are observed")
        if len(claimed.frames) != len(types) or len(claimed.below) != len(types):
            raise EvidenceError("the evidence has other thread types than the program")
        nothing = Frame(-1)
        tables = ProgramTables(claimed.shared, [(nothing, *some) for some in claimed.frames])
        check_tables(self._meaning.layout, tables)
        if len(self._shared) != len(claimed.shared) or any(
            len(known) != len(some)
            for known, some in zip(self._frames, claimed.frames, strict=True)
        ):
            raise EvidenceError("a shared state or a frame is listed twice")
        for number, pairs in enumerate(claimed.below):
            below: dict[int, set[int]] = {}
            for upper, lower in pairs:
                if not (
                    0 < upper <= len(claimed.frames[number])
                    and 0 <= lower <= len(claimed.frames[number])
                ):
                    raise EvidenceError("the relation below names a frame that is not listed")
                below.setdefault(upper, set()).add(lower)
            self._below.append(below)
        for state in claimed.states:
            if len(state.views) != observed or tuple(sorted(state.views)) != state.views:
                raise EvidenceError(
                    "a state does not have the views of the observed threads in order"
                )
            if not 0 <= state.shared < len(claimed.shared) or not all(
                map(self._is_view, state.views)
            ):
                raise EvidenceError("a state names something that is not listed")
            if not fits(self._program, state.views):
                raise EvidenceError("a state has more threads of a type than there are")

    def _is_view(self, view: View) -> bool:
        if not 0 <= view.type < len(self._program.threads):
            return False
        return 0 <= view.top <= len(self._claimed.frames[view.type]) and not (
            view.deep and view.top == 0
        )

    def _check_initial(self) -> None:
        meaning = self._meaning
        shared = self._shared.get(meaning.initial_shared())
        views = []
        for number in range(len(self._program.threads)):
            (frame,) = meaning.initial_stack(number)
            views.append(View(number, self._frames[number].get(frame, -1), deep=False))
        for some in combinations_with_replacement(sorted(views), self._claimed.observed):
            if fits(self._program, some) and ModularState(shared or 0, some) not in self._states:
                raise EvidenceError("threads in their initial states are not listed")
        if shared is None:
            raise EvidenceError("the initial shared state is not listed")

    def _check_not_bad(self, state: ModularState, bad: Sequence[Bad]) -> None:
        """Nothing bad is listed. Two threads that are not both observed could be at two places if
        each of them could."""
        points = Counter(
            (view.type, self._claimed.frames[view.type][view.top - 1].point)
            for view in state.views
            if view.top
        )
        for some in bad:
            if not 1 <= len(some) <= self._claimed.observed:
                raise EvidenceError(f"{len(some)} threads must be observed for what is asked")
            if all(points[place] >= count for place, count in Counter(some).items()):
                raise EvidenceError("a bad state is listed")

    def _check_own_steps(self, state: ModularState) -> None:
        for place, view in enumerate(state.views):
            others = state.views[:place] + state.views[place + 1 :]
            for target, word in self._steps(state.shared, view):
                for after in self._after(view, word):
                    self._require(target, (*others, after))

    def _check_others(self, state: ModularState, at: dict[tuple[View, ...], list[View]]) -> None:
        """The steps of a thread that is not observed."""
        views = state.views
        for another in dict.fromkeys(at[views[1:]]):
            if not fits(self._program, (*views, another)):
                continue
            replaced = (
                tuple(sorted((*views[:place], another, *views[place + 1 :])))
                for place in range(len(views))
            )
            if all(ModularState(state.shared, some) in self._states for some in replaced):
                for target, _ in self._steps(state.shared, another):
                    self._require(target, views)

    def _require(self, shared: int, views: Sequence[View]) -> None:
        self._patience.spend()
        if ModularState(shared, tuple(sorted(views))) not in self._states:
            raise EvidenceError("a step leads out of the states that are listed")

    def _steps(self, shared: int, view: View) -> list[tuple[int, tuple[int, ...]]]:
        """The shared states and frames to which a thread with this view steps. What is not listed
        has the number -1, with which no state is listed."""
        if view.top == 0:
            return []
        key = (shared, view._replace(deep=False))
        found = self._rules.get(key)
        if found is None:
            self._patience.spend(STEPS_PER_PAIR)
            frame = self._claimed.frames[view.type][view.top - 1]
            rules = self._meaning.rules(view.type, self._claimed.shared[shared], frame)
            found = self._rules[key] = [self._numbered(view.type, rule) for rule in rules]
        return found

    def _numbered(self, kind: int, rule: Configuration) -> tuple[int, tuple[int, ...]]:
        shared, word = rule
        return self._shared.get(shared, -1), tuple(self._frames[kind].get(f, -1) for f in word)

    def _after(self, view: View, word: tuple[int, ...]) -> Iterator[View]:
        """The views after a step that writes some frames; an EvidenceError if the relation below
        does not have what it must."""
        below = self._below[view.type]
        under = below.get(view.top, set()) - {0} if view.deep else {0}
        if len(word) > 2 or -1 in word:
            raise EvidenceError("a step leads to a frame that is not listed")
        if word:
            for upper, lower in pairwise(word):
                if lower not in below.get(upper, set()):
                    raise EvidenceError("the relation below lacks what a call puts there")
            covers = len(word) == 2 or view.deep
            if covers and not under <= below.get(word[-1], set()):
                raise EvidenceError("the relation below lacks what lay under a frame")
            yield View(view.type, word[0], view.deep or len(word) == 2)
            return
        for lower in under:
            if lower == 0:
                yield View(view.type, 0, deep=False)
                continue
            yield from (
                View(view.type, lower, deep)
                for deep in {other != 0 for other in below.get(lower, set())}
            )


def _values_as_json(values: SharedState) -> list[Any]:
    return [value if isinstance(value, int) or value is None else [value.cell] for value in values]


def _values_from_json(reader: Reader, value: Any, where: str) -> SharedState:
    found: list[Any] = []
    for each in reader.items(value, where):
        if isinstance(each, list):
            if len(each) != 1:
                reader.fail(where, "a value that another cell has is the number of that cell")
            found.append(SameAs(reader.a(int, each[0], where)))
        else:
            found.append(None if each is None else reader.a(int, each, where))
    return tuple(found)


def _frame_from_json(reader: Reader, value: Any, where: str) -> Frame:
    parts = reader.items(value, where)
    if len(parts) != 2:
        reader.fail(where, "a frame is a point and values")
    return Frame(reader.a(int, parts[0], where), _values_from_json(reader, parts[1], where))
