"""The system of a program: a System whose states and rules are created as they are met.

To everything that explores, compares and reports, it is a System like any other; its names and
rules are looked up in the kernel when they are asked for. What was never met has no number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, TypeVar, cast, overload

from tepui.errors import ModelError, TooManyOutcomes
from tepui.kernels import door as kernels
from tepui.kernels.magnitudes import refuse_large_numbers
from tepui.kernels.program_fields import LoweringOptions, fields_of
from tepui.model import EPSILON, Property, Rule, System, Template
from tepui.model.build import EMPTY, MAX_THREADS
from tepui.program.layout import Frame, Layout, SameAs, SharedState, Value, point_class
from tepui.program.program import Program, refuse_forks, refuse_integers, thread_names
from tepui.program.state_names import frame_text, shared_text
from tepui.program.validate import validate
from tepui.records import field, record

_Item = TypeVar("_Item")


@record
class LoweredSystem(System):
    """A program as a System. `kernel` computes its rules on demand."""

    program: Program = field(kw_only=True)
    layout: Layout = field(kw_only=True)
    options: LoweringOptions = field(kw_only=True)
    kernel: kernels.SystemKernel = field(kw_only=True, compare=False)

    def __reduce__(self) -> tuple[Callable[..., LoweredSystem], tuple[object, ...]]:
        from tepui.kernels.kept_kernel import KeptKernel

        kept = KeptKernel.of(self.kernel, len(self.templates))
        return _system_of, (self.program, self.options, self.property, kept)

    def __deepcopy__(self, memo: object) -> LoweredSystem:
        return self  # What it has met only grows, and it is the same for all who look at it.

    def _repr_html_(self) -> str | None:
        """Its rules are not all known, so the program is shown instead."""
        return self.program._repr_html_()

    def class_count(self, template: int) -> int:
        return point_class(self.layout.points)

    def shared_values(self) -> Sequence[SharedState]:
        """The shared states that were met, as values of variables."""
        return _Grown(
            lambda: self.kernel.shared_states, lambda shared: _shared_values(self.kernel, shared)
        )

    def frames(self, template: int) -> Sequence[Frame]:
        """The frames of a template that were met, by symbol. Symbol 0 is no frame."""
        return _Grown(
            lambda: self.kernel.symbols(template),
            lambda symbol: _frame(self.kernel, template, symbol),
        )

    def symbol(self, template: int, frame: Frame) -> int:
        """The number of a frame that is joined to no other."""
        values = [(each.cell,) if isinstance(each, SameAs) else each for each in frame.values]
        return self.kernel.symbol(template, frame.point, values)


def lowered(system: System) -> LoweredSystem:
    """A system that has a program, with its precise type."""
    assert isinstance(system, LoweredSystem)
    return system


def forget_limit(system: System) -> bool:
    """Forget what was met of a program since a step was cut short at a limit that is gone. Return
    whether there was one: then what ran meanwhile must not be used."""
    return isinstance(system, LoweredSystem) and system.kernel.forget_limit()


def lower(
    program: Program,
    options: LoweringOptions | None = None,
    asked: Property | None = None,
) -> LoweredSystem:
    """The system of a program, of which only the initial state has been met."""
    refuse_integers(program)
    refuse_forks(program)
    validate(program)
    refuse_large_numbers(program)
    options = options or LoweringOptions()
    layout = program.layout
    if len(layout.threads) > MAX_THREADS:
        raise ModelError(f"a system has at most {MAX_THREADS:,} threads, this one has more")
    templates = range(len(layout.templates))
    counts = [layout.threads.count(template) for template in templates]
    too_wide = partial(_too_wide, layout)
    kernel = kernels.SystemKernel.of_program(fields_of(layout, options), counts, too_wide)
    return _system_of(program, options, asked or Property(), kernel)


def explorable(system: LoweredSystem) -> LoweredSystem:
    """The system, or a new one like it if it comes from a pickle."""
    kernel: object = system.kernel
    if isinstance(kernel, kernels.SystemKernel):
        return system
    return lower(system.program, system.options, system.property)


def _system_of(
    program: Program,
    options: LoweringOptions,
    asked: Property,
    kernel: kernels.SystemKernel,
) -> LoweredSystem:
    """The system of a program, whose states and rules are in a kernel."""
    layout = program.layout
    templates = range(len(layout.templates))
    return LoweredSystem(
        shared=_Grown(
            lambda: kernel.shared_states,
            lambda number: shared_text(layout, _shared_values(kernel, number)),
        ),
        initial=kernel.initial,
        templates=tuple(_template(layout, kernel, index) for index in templates),
        threads=layout.threads,
        thread_names=thread_names(program),
        property=asked,
        name=program.name,
        program=program,
        layout=layout,
        options=options,
        kernel=kernel,
    )


def _too_wide(
    layout: Layout, point: int, place: tuple[bool, int] | None, values: int
) -> TooManyOutcomes:
    """The error about a step that begins at a point; a cell without a value is read there."""
    location = layout.location(point)
    where = layout.program.name if location is None else str(location.position)
    what = f"a value is chosen among {values:,}"
    if place is not None:
        is_global, number = place
        cells = layout.shared_cells
        if not is_global:
            cells = layout.frame_cells[layout.procedure_number(point)]
        what = f"{cells[number].name} is read, which may have any of {values:,} values"
    return TooManyOutcomes(
        f"{where}: this step has more outcomes than can be listed, because {what}"
    )


def _template(layout: Layout, kernel: kernels.SystemKernel, index: int) -> Template:
    def name(symbol: int) -> str:
        if symbol == EPSILON:
            return EMPTY
        return frame_text(layout, _frame(kernel, index, symbol))

    def rule(number: int) -> Rule:
        return Rule(*kernel.rules(index, number, number + 1)[0])

    def class_of(symbol: int) -> int:
        return EPSILON if symbol == EPSILON else point_class(kernel.frame(index, symbol)[0])

    return Template(
        name=layout.program.threads[layout.templates[index][0]].name,
        symbols=_Grown(lambda: kernel.symbols(index), name),
        stack=tuple(kernel.initial_stack(index)),
        rules=_Grown(lambda: kernel.rule_count(index), rule),
        classes=_Grown(lambda: kernel.symbols(index), class_of),
    )


def _frame(kernel: kernels.SystemKernel, template: int, symbol: int) -> Frame:
    point, values, below = kernel.frame(template, symbol)
    return Frame(point, _values(values), None if below is None else _frame(kernel, template, below))


def _shared_values(kernel: kernels.SystemKernel, number: int) -> SharedState:
    return _values(kernel.shared_values(number))


def _values(given: tuple[int | tuple[int] | None, ...]) -> tuple[Value, ...]:
    """The values that the kernel gives. It writes a cell that has the same value in brackets."""
    if tuple not in map(type, given):
        return cast(tuple[Value, ...], given)
    return tuple(SameAs(*value) if isinstance(value, tuple) else value for value in given)


class _Grown(Sequence[_Item], Generic[_Item]):
    """A sequence that lives in the kernel and may grow."""

    def __init__(self, length: Callable[[], int], item: Callable[[int], _Item]) -> None:
        self._length = length
        self._item = item

    def __len__(self) -> int:
        return self._length()

    def __iter__(self) -> Iterator[_Item]:
        known = 0
        while known < (length := len(self)):
            yield from map(self._item, range(known, length))
            known = length

    @overload
    def __getitem__(self, index: int) -> _Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...

    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if isinstance(index, slice):
            return [self._item(number) for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._item(index % len(self))
