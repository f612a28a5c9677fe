"""Atomic sections that begin and end by statements of their own: which locations are inside.

Inside is what lies behind an `atomic_begin`, up to and including the `atomic_end`. This must not
depend on the path that is taken, and a section must end in the procedure in which it begins.
"""

from __future__ import annotations

from tepui.program.drafts.draft import Draft, Refuse
from tepui.program.expressions import FALSE
from tepui.program.program import Edge, End, Return, target_of
from tepui.records import replace


def mark_sections(draft: Draft, refuse: Refuse) -> None:
    """Make the locations inside sections atomic."""
    if draft.begins or draft.ends:
        _Sections(draft, refuse).mark()
    draft.begins, draft.ends = set(), set()


class _Sections:
    def __init__(self, draft: Draft, refuse: Refuse) -> None:
        self._draft = draft
        self._refuse = refuse

    def mark(self) -> None:
        locations = self._draft.locations
        for number, is_inside in self._inside().items():
            self._check(number, is_inside)
            if is_inside:
                locations[number] = replace(locations[number], atomic=True)

    def _inside(self) -> dict[int, bool]:
        """For each location that can be reached, whether it is inside a section."""
        draft = self._draft
        leaving: list[list[Edge]] = [[] for _ in draft.locations]
        for edge in draft.edges:
            leaving[edge.source].append(edge)
        inside = dict.fromkeys(draft.starts(), False)
        waiting = list(inside)
        while waiting:
            number = waiting.pop()
            after = number in draft.begins or (inside[number] and number not in draft.ends)
            for edge in leaving[number]:
                target = target_of(edge)
                if edge.guard == FALSE:
                    continue
                if target is None:
                    self._check_leaving(edge, after)
                elif target not in inside:
                    inside[target] = after
                    waiting.append(target)
                elif inside[target] != after:
                    raise self._error(
                        target,
                        "expected every path to here inside an atomic section or every path "
                        "outside, found both",
                    )
        return inside

    def _check(self, number: int, is_inside: bool) -> None:
        draft = self._draft
        if number in draft.begins and (is_inside or draft.locations[number].atomic):
            raise self._error(
                number, "expected no 'atomic_begin' inside an atomic section, found one"
            )
        if number in draft.ends and not is_inside:
            raise self._error(
                number, "expected 'atomic_end' inside an atomic section, found it outside"
            )

    def _check_leaving(self, edge: Edge, is_inside: bool) -> None:
        """No section is left by leaving the procedure; only the end of the thread ends it too."""
        if is_inside and not isinstance(edge, End):
            what = "'return'" if isinstance(edge, Return) else "the end of the procedure"
            raise self._error(
                edge.source,
                f"expected 'atomic_end' before {what}, found an atomic section still open",
            )

    def _error(self, number: int, message: str) -> Exception:
        return self._refuse(self._draft.locations[number].position, message)
