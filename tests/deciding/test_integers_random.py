"""Random programs with integers without bounds: nothing is safe that concrete steps refute.

The same programs within bounds, and with a few threads, are explored by an interpreter with really
dynamic threads. Violations need no oracle: a trace is replayed by the checker.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from support.boolean_flows import load
from support.generators.integer_programs import random_integer_program
from support.oracles.fork_interpreter import explore
from support.oracles.program_interpreter import TooLargeError
from support.sizes import sized
from tepui.deciding import Options, open_driver, verify
from tepui.limits import Limits

pytestmark = pytest.mark.fuzz
pytest.importorskip("z3")
pytest.importorskip("cvc5")

BATCHES = 4


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_driver, "FIRST_SECONDS", 0.1)


@pytest.mark.parametrize("forks", [False, True], ids=["any number", "forked"])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_what_is_safe_is_not_refuted_within_bounds(batch: int, forks: bool) -> None:
    verdicts: Counter[str] = Counter()
    compared = 0
    for seed in range(batch, sized(40), BATCHES):
        made = random_integer_program(Random(seed), forks=forks)
        options = Options(limits=Limits(timeout=4))
        result = verify(load(made.text), options=options)
        verdicts[result.verdict] += 1
        late = any(note.kind == "check" for note in result.remarks)
        assert result.checked or late or result.verdict == "unknown", seed
        if result.verdict == "unsafe":
            continue
        for threads in (1,) if forks else (1, 2):
            try:
                found = explore(load(made.narrow(threads)), 5, threads=4, most=500)
            except TooLargeError:
                break
            compared += 1
            safe_up_to = (result.threads and result.threads.safe_up_to) or 0
            if result.verdict == "safe" or threads <= safe_up_to:
                assert found.unsafe is None, (seed, threads)
    if sized(40) >= 40:
        assert min(verdicts["safe"], verdicts["unsafe"], compared) > sized(2) / BATCHES, verdicts
