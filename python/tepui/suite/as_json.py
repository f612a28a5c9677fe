"""A suite, or a comparison of two runs, as one JSON object; docs/suite.schema.json describes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tepui.suite.compare import KINDS, Comparison, Pair
from tepui.suite.outcome import Outcome, Tally
from tepui.suite.store import StoredRun


def suite_object(
    store: str, run: StoredRun, outcomes: Sequence[Outcome], *, stopped: bool
) -> dict[str, Any]:
    """What `tepui suite --json` prints."""
    tally = Tally.of(outcomes)
    return {
        "store": store,
        "run": run.name,
        "version": run.version,
        "settings": json.loads(run.settings),
        "started": run.started,
        "stopped": stopped,
        "judgements": tally.judgements,
        "answers": tally.answers,
        "outcomes": [outcome_object(outcome) for outcome in outcomes],
    }


def outcome_object(outcome: Outcome) -> dict[str, Any]:
    """One task."""
    ran = outcome.ran
    return {
        "task": outcome.task,
        "file": outcome.file,
        "property": outcome.property_name,
        "expected": outcome.expected,
        "expected_counts": None if outcome.counts is None else asdict(outcome.counts),
        "answer": ran.answer,
        "judgement": outcome.judgement,
        "seconds": ran.seconds,
        "peak_memory_bytes": ran.memory,
        "engine": ran.engine,
        "bound": ran.bound,
        "counts": None if ran.counts is None else asdict(ran.counts),
        "checked": ran.checked,
        "detail": ran.detail,
        "inputs": outcome.inputs,
    }


def comparison_object(comparison: Comparison) -> dict[str, Any]:
    """What `tepui suite --compare OLD NEW --json` prints."""
    return {
        "old": comparison.old,
        "new": comparison.new,
        "worse": comparison.worse,
        "kinds": {kind: len(comparison.of(kind)) for kind in KINDS if comparison.of(kind)},
        "tasks": [_pair_object(pair) for pair in comparison.pairs],
    }


def _pair_object(pair: Pair) -> dict[str, Any]:
    return {
        "task": pair.task,
        "kind": pair.kind,
        "ratio": pair.ratio,
        "old": None if pair.old is None else outcome_object(pair.old),
        "new": None if pair.new is None else outcome_object(pair.new),
    }
