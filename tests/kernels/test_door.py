"""A system is given to the kernels once, no matter how many engines work on it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.cli import COLLAPSING, FIGURE4, call, different_threads
from support.places import EXAMPLES
from tepui.kernels import door
from tepui.kernels.door import SystemKernel
from tepui.languages import loads
from tepui.model import Property
from tepui.z import Z


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[SystemKernel]:
    """The systems that are converted meanwhile."""
    made: list[SystemKernel] = []

    def converted(*numbers: object) -> SystemKernel:
        make: Callable[..., SystemKernel] = SystemKernel
        made.append(make(*numbers))
        return made[-1]

    monkeypatch.setattr(door, "SystemKernel", converted)
    return made


@pytest.mark.parametrize(
    "command",
    [
        ("verify", str(EXAMPLES / "deadlock.cpds")),
        ("verify", str(EXAMPLES / "deadlock.cpds"), "--engine", "delay"),
        ("verify", str(EXAMPLES / "two-wheels.cpds"), "--jobs", "2"),
        ("explore", FIGURE4),
    ],
)
def test_a_command_gives_its_system_once(
    given: list[SystemKernel], command: tuple[str, ...]
) -> None:
    assert call(*command).code in (0, 1)
    assert len(given) == 1


def test_engines_in_several_threads_get_the_same_kernel(given: list[SystemKernel]) -> None:
    system = loads(COLLAPSING, "cpds").system
    with ThreadPoolExecutor(8) as pool:
        kernels = list(pool.map(door.system_kernel, [system] * 64))
    assert given == [kernels[0]]
    assert all(kernel is kernels[0] for kernel in kernels)


def test_a_kernel_goes_with_its_system(given: list[SystemKernel]) -> None:
    system = loads(COLLAPSING, "cpds").system
    door.system_kernel(system)
    number = id(system)
    assert number in door._GIVEN
    del system
    gc.collect()
    assert number not in door._GIVEN


@pytest.mark.parametrize("by_diagram", [False, True])
def test_threads_that_ask_the_same_z_wait_for_each_other(by_diagram: bool) -> None:
    system = loads(different_threads(5), "cpds").system
    z = Z(system, by_diagram=by_diagram).completed()
    asked = Property(deadlock=True)
    expected = z._kernel.find_bad(asked), z.points(), z.real_visible
    with ThreadPoolExecutor(8) as pool:
        bad = [pool.submit(z._kernel.find_bad, asked) for _ in range(16)]
        answers = [(each.result(), z.points(), z.real_visible) for each in bad]
    assert answers == [expected] * 16
