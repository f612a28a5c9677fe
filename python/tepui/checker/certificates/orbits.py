"""Certificates that list states up to exchanging threads that know themselves.

Threads of one type that ask who they are have different rules, so they are not interchangeable as
those in `states` are. But they may be in a wider sense. A *family* is a set of threads such that
exchanging its members everywhere, the identities in the shared state included, makes rules of
rules (`Exchange` says which threads are families, and proves it). The other groups are threads with
equal rules, as in `states`.

Notation. π is a permutation of the threads within the groups; it acts on a state s = ⟨q|w¹,…,wⁿ⟩ by
giving the stack of thread t to thread π(t), and by renaming the members of families that q names.
The *normal form* N(s) is found group by group. In a family, the members that q names come first, in
the order of the cells that name them, and then the others, in the order of their local states; the
identities in q are renamed accordingly. In any other group, threads are in the order of their local
states. N(s) is π(s) for some π.

Lemma. N(π(s)) = N(s). The cells that name a member of a family are the same before and after
renaming; so the members that are named come in the same order, with the same stacks, and get the
same new names. The other members of a family, and all threads of other groups, are named by no cell
that is renamed, and only their local states matter.

Claim. If the checks below pass, the normal form of every reachable state is in the set Z of listed
states, and none of these is bad. A pattern is closed under exchanging threads before it is compared
(see `bad_states`), and one that fixes the shared state is refused; a deadlock stays one under π. So
no reachable state is bad.

Proof, by induction over the steps of a run. The normal form of the initial state is checked to be
in Z. Let N(s) = π(s) be in Z, and let thread t step from s to s'. Then π(t) can step from π(s) to
π(s'), because π makes rules of rules. It is checked that Z contains the normal forms of all states
after a step of a thread in π(s); so N(π(s')) = N(s') is in Z. Not every thread is looked at. Let a
family have m members that are named in π(s); in normal form they are its first ones. Exchanging two
others leaves the shared state as it is. So the steps of any of them are, up to such an exchange,
those of member m + 1 with the stack of that one; and members with equal stacks need only be looked
at once. In groups of equal threads that is so anyway.  ∎
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

from tepui.checker.bad_states import BadStates
from tepui.checker.certificates.local_states import WHOLE, Local, LocalStates
from tepui.checker.certificates.table_files import read_groups, read_locals, written_locals
from tepui.checker.evidence import AnyCertificate, Pair, register
from tepui.checker.name_text import state_text
from tepui.checker.packed_rows import fixed_rows, met
from tepui.checker.patience import Patience
from tepui.checker.stuck_cases import Cases, Stuck
from tepui.errors import EvidenceError
from tepui.model import EPSILON, Property, System
from tepui.records import record

if TYPE_CHECKING:
    from tepui.checker.reading import Reader
    from tepui.checker.writing import Writer
    from tepui.model.system import VisibleState

Row = tuple[int, ...]
"""The shared state, then for each thread the index of its local state."""


class Exchange(Protocol):
    """Which threads of a system know themselves and are interchangeable nevertheless."""

    @property
    def families(self) -> Sequence[tuple[int, ...]]:
        """Each with its threads in ascending order."""

    def named(self, shared: int) -> Sequence[int]:
        """The threads that a shared state names, each once, in the order of its cells."""

    def renamed(self, shared: int, names: Mapping[int, int]) -> int:
        """The shared state in which other threads are named."""


@runtime_checkable
class Exchanging(Protocol):
    """A system whose threads may know themselves."""

    @property
    def exchange(self) -> Exchange: ...


@register
@record
class OrbitCertificate(AnyCertificate):
    """A set of states of a program up to exchanging threads, also ones that know themselves."""

    kinds: ClassVar = ("orbits",)
    fields: ClassVar = ("groups", "locals", "states")

    groups: tuple[tuple[int, ...], ...]
    """A partition of the threads: families, and groups of equal threads."""
    locals: tuple[tuple[Local, ...], ...]
    """Per group, the stacks that occur, each once."""
    states: Sequence[Row]
    """Normal forms, with an index into its group's table for each thread."""

    @property
    def size(self) -> int:
        """How many states are listed."""
        return len(self.states)

    def check(self, system: System, asked: Property, go_on: Callable[[], bool]) -> None:
        patience = Patience(go_on)
        proof = _Proof(system, self)
        proof.read_states(self.states, patience)
        proof.check_initial()
        proof.check_not_bad(asked, patience)
        proof.check_closed(patience)

    def pairs(self, system: System, go_on: Callable[[], bool]) -> list[set[Pair]]:
        """The pairs of those who are looked at; of all threads, if the system does not say whom it
        names, and the check refuses it. Local states that are out of range are skipped here; the
        check will find them. Shared states are not: they may get a meaning later, when rules lead
        to states outside the tables."""
        threads, states = len(system.threads), range(len(system.shared))
        found: list[set[Pair]] = [set() for _ in range(threads)]
        places = _Places(system, self.groups) if isinstance(system, Exchanging) else None
        for group, table in zip(self.groups, self.locals, strict=False):
            tops = list(map(_top, table))
            for thread in group:
                if 0 <= thread < threads:
                    place = thread + 1
                    for shared, local in met(self.states, place):
                        if 0 <= local < len(tops):
                            runner = thread
                            if places is not None and shared in states:
                                runner = places.runner(shared, group, thread)
                            found[runner].add((shared, tops[local]))
        return found

    def fixed(self) -> Self:
        return replace(self, states=fixed_rows(self.states))

    def body(self, writer: Writer) -> dict[str, Any]:
        alphabets = [writer.symbols(group[0]) if group else () for group in self.groups]
        return {
            "groups": [writer.all_threads(group) for group in self.groups],
            "locals": written_locals(alphabets, self.locals),
            "states": writer.states(self.states),
        }

    @classmethod
    def read(cls, reader: Reader, kind: str, fields: dict[str, Any]) -> Self:
        groups = read_groups(reader, fields["groups"])
        alphabets = [reader.symbols(group[0]) for group in groups]
        tables = reader.items(fields["locals"], "locals", len(groups))
        return cls(
            groups,
            locals=tuple(map(partial(read_locals, reader), alphabets, tables)),
            states=reader.states(fields["states"], "states"),
        )


class _Places:
    """Who is where in normal forms."""

    def __init__(self, system: System, groups: Sequence[tuple[int, ...]]) -> None:
        if not isinstance(system, Exchanging):
            raise EvidenceError("the threads of this system do not know themselves")
        self._exchange = system.exchange
        self._groups = groups
        self.families = frozenset(self._exchange.families) & frozenset(groups)
        self._named: dict[int, dict[tuple[int, ...], list[int]]] = {}
        self._ways: dict[int, tuple[int, list[tuple[list[int], list[int]]]]] = {}
        """For a shared state its normal form, and for each group the places of those who are named
        and of the others."""
        in_groups = [thread for group in groups for thread in group]
        self._ranks = {thread: rank for rank, thread in enumerate(in_groups)}
        self._in_order = in_groups == sorted(in_groups)

    def named(self, shared: int, group: tuple[int, ...]) -> list[int]:
        """The members of a family that a shared state names, in the order of its cells."""
        if shared not in self._named:
            named = self._exchange.named(shared)
            self._named[shared] = {
                family: [thread for thread in named if thread in family] for family in self.families
            }
        return self._named[shared].get(group, [])

    def runner(self, shared: int, group: tuple[int, ...], thread: int) -> int:
        """The thread whose rules are looked at in place of a thread, in normal form: of a family
        one that is not named stands for all others that are not."""
        if group not in self.families:
            return thread
        first = group[min(len(self.named(shared, group)), len(group) - 1)]
        return min(thread, first)

    def normal_form(self, row: Sequence[int]) -> Row:
        if row[0] not in self._ways:
            self._ways[row[0]] = self._way(row[0])
        shared, ways = self._ways[row[0]]
        entries: list[int] = []
        for named, others in ways:
            entries += [row[place] for place in named]
            entries += sorted([row[place] for place in others])
        if self._in_order:
            return (shared, *entries)
        return (shared, *(entries[self._ranks[thread]] for thread in range(len(entries))))

    def _way(self, shared: int) -> tuple[int, list[tuple[list[int], list[int]]]]:
        ways: list[tuple[list[int], list[int]]] = []
        names: dict[int, int] = {}
        for group in self._groups:
            named = self.named(shared, group)
            others = [1 + thread for thread in group if thread not in named]
            ways.append(([1 + thread for thread in named], others))
            names |= zip(named, group, strict=False)
        same = all(old == new for old, new in names.items())
        return shared if same else self._exchange.renamed(shared, names), ways


class _Proof:
    """The induction: the listed states, and the checks on them."""

    def __init__(self, system: System, certificate: OrbitCertificate) -> None:
        self._system = system
        self._groups = certificate.groups
        self._places = _Places(system, certificate.groups)
        self._check_groups()
        if len(certificate.locals) != len(self._groups):
            raise EvidenceError("the certificate does not have one table of stacks for each group")
        self._tables = dict(zip(self._groups, certificate.locals, strict=True))
        self._table_of = {
            thread: table for group, table in self._tables.items() for thread in group
        }
        self._known: dict[int, LocalStates] = {}
        self._moves: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        self._states: set[Row] = set()

    def read_states(self, states: Sequence[Row], patience: Patience) -> None:
        """Read the listed states once, so that every later check looks at the same ones."""
        threads = range(len(self._system.threads))
        sizes = (len(self._system.shared), *(len(self._table_of[t]) for t in threads))
        for number, row in enumerate(patience.each(states), start=1):
            if len(row) != len(sizes):
                raise EvidenceError(
                    f"state {number} of the certificate does not have one entry per thread"
                )
            if min(row) < 0 or not all(map(operator.lt, row, sizes)):
                raise EvidenceError(f"state {number} of the certificate points outside its tables")
            if self._places.normal_form(row) != row:
                raise EvidenceError(
                    f"state {number} of the certificate, {self._text(row)}, is no normal form"
                )
            self._states.add(row)

    def check_initial(self) -> None:
        row = [self._system.initial, *(0 for _ in self._system.threads)]
        for thread in range(len(self._system.threads)):
            row[1 + thread] = self._local_states(thread).initial_local()
        if self._places.normal_form(row) not in self._states:
            raise EvidenceError(f"the certificate lacks the initial state {self._text(row)}")

    def check_not_bad(self, asked: Property, patience: Patience) -> None:
        if asked.reaches or any(pattern.shared is not None for pattern in asked.patterns):
            raise EvidenceError(
                "the property names shared states or stacks, and threads that know themselves "
                "cannot be exchanged in them"
            )
        patterns = BadStates(self._system, replace(asked, deadlock=False), self._groups)
        deadlocks = _Deadlocks(self._system, self._places, self._groups)
        tops = {group: [_top(local) for local in table] for group, table in self._tables.items()}
        of_thread = {thread: tops[group] for group in self._groups for thread in group}
        shown: list[Sequence[int]] = [range(len(self._system.shared))]
        shown += [of_thread[thread] for thread in range(len(self._system.threads))]
        for row in patience.each(self._states):
            visible = tuple(map(operator.getitem, shown, row))
            if visible in patterns or (asked.deadlock and deadlocks.has(visible)):
                raise EvidenceError(f"the certificate holds the bad state {self._text(row)}")

    def check_closed(self, patience: Patience) -> None:
        """The normal form of every state after a step from a listed one is listed."""
        for row in patience.each(self._states):
            for group in self._groups:
                named = len(self._places.named(row[0], group))
                previous = -1
                for place, thread in enumerate(group):
                    local = row[1 + thread]
                    if place < named or local != previous:
                        self._check_steps(row, self._places.runner(row[0], group, thread), thread)
                    previous = local if place >= named else -1

    def _check_steps(self, row: Row, runner: int, thread: int) -> None:
        """The steps of a thread. If another one stands for it, the two are exchanged before."""
        local = row[1 + thread]
        key = runner, row[0], local
        moves = self._moves.get(key)
        if moves is None:
            moves = self._moves[key] = self._local_states(runner).moves(row[0], local)
        for target, moved in moves:
            after = list(row)
            after[1 + thread] = row[1 + runner]
            after[0], after[1 + runner] = target, moved
            if self._places.normal_form(after) not in self._states:
                raise EvidenceError(
                    "the certificate is not closed: thread "
                    f"{self._system.thread_names[runner]}, if it is where "
                    f"{self._system.thread_names[thread]} is in {self._text(row)}, can go to "
                    f"{self._text(after)}, and the certificate lacks its normal form"
                )

    def _check_groups(self) -> None:
        listed = sorted(thread for group in self._groups for thread in group)
        if listed != list(range(len(self._system.threads))):
            raise EvidenceError("the groups of the certificate are not a partition of the threads")
        for group in self._groups:
            if not group or list(group) != sorted(group):
                raise EvidenceError("a group of the certificate is empty or not in order")
            equal = len({self._system.threads[thread] for thread in group}) == 1
            if not equal and group not in self._places.families:
                names = ", ".join(self._system.thread_names[thread] for thread in group)
                raise EvidenceError(f"the threads {names} are not interchangeable")

    def _local_states(self, thread: int) -> LocalStates:
        if thread not in self._known:
            table = self._table_of[thread]
            self._known[thread] = LocalStates(self._system, (thread,), table, WHOLE, frozenset())
        return self._known[thread]

    def _text(self, row: Sequence[int]) -> str:
        locals_ = (self._table_of[thread][index] for thread, index in enumerate(row[1:]))
        return state_text(self._system, row[0], locals_)


def _top(local: Local) -> int:
    word, _ = local
    return word[0] if word else EPSILON


class _Deadlocks:
    """The visible states, in normal form, in which no thread can move and one has something to
    do."""

    def __init__(self, system: System, places: _Places, groups: Sequence[tuple[int, ...]]) -> None:
        self._places = places
        self._groups = groups
        self._cases = Cases(system)
        self._templates = [system.template_of(thread) for thread in range(len(system.threads))]
        self._stuck = [Stuck(template, self._cases) for template in self._templates]

    def has(self, visible: VisibleState) -> bool:
        shared, tops = visible[0], visible[1:]
        threads = zip(self._templates, tops, strict=True)
        if all(template.is_idle(shared, top) for template, top in threads):
            return False
        cases = self._cases.of(shared)
        for group in self._groups:
            for thread in group:
                runner = self._places.runner(shared, group, thread)
                cases &= self._stuck[runner].with_top(tops[thread])
        return cases != 0
