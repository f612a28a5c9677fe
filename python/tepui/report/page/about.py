"""The last section of a report: command line, versions, engines, limits and options."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator
from datetime import datetime

from tepui import __version__
from tepui.model import SystemInstance
from tepui.program.program import Program
from tepui.report.bounds import other_text
from tepui.report.markup import Child, Html, element, joined
from tepui.report.report_input import Chosen, ReportInput
from tepui.result import Result
from tepui.words import counted


def about_html(data: ReportInput) -> Html:
    """What a reader needs to repeat the run."""
    rows = [joined(element("dt", name), element("dd", value)) for name, value in _rows(data)]
    return element("dl", rows, class_="pairs")


def _rows(data: ReportInput) -> Iterator[tuple[str, Child]]:
    if data.arguments:
        yield "command", element("code", shlex.join(("tepui", *data.arguments)))
    yield "date", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
    yield "versions", f"tepui {__version__}, Python {platform.python_version()}, {_platform()}"
    yield "model", _model(data)
    results = [
        *data.results,
        *([data.exploration] if data.exploration else []),
    ]
    engines = dict.fromkeys(result.engine for result in results)
    if engines:
        yield "answered by", ", ".join(engines)
    others = dict.fromkeys(other_text(other) for result in results for other in result.others)
    if others:
        yield "other engines", element("ul", [element("li", text) for text in others])
    if data.options is not None:
        yield "limits", _limits(data.options)
        yield (
            "options",
            element("ul", [element("li", text) for text in _options(data.options)]),
        )
    stops = dict.fromkeys(_stops(results))
    if stops:
        yield "stopped because", element("ul", [element("li", text) for text in stops])


def _platform() -> str:
    return f"{platform.system()} {platform.release()} on {platform.machine()}"


def _model(data: ReportInput) -> str:
    model = data.model
    if isinstance(model, Program):
        threads = ", ".join(thread.label for thread in model.threads)
        return f"{model.name}: {counted(len(model.procedures), 'procedure')}, threads {threads}"
    return str(model.original if isinstance(model, SystemInstance) else model)


def _limits(options: Chosen) -> str:
    limits = options.limits
    texts = [
        f"{limits.timeout:g} s" if limits.timeout is not None else "no time limit",
        f"{limits.memory / 2**20:,.0f} MiB" if limits.memory is not None else "4/5 of the memory",
    ]
    if limits.max_contexts is not None:
        texts.append(f"at most {counted(limits.max_contexts, 'context')}")
    return ", ".join(texts)


def _options(options: Chosen) -> Iterator[str]:
    yield f"engine {options.engine}, {counted(options.jobs, 'job')}"
    for name, bound in (
        ("contexts", options.contexts),
        ("rounds", options.rounds),
        ("delays", options.delays),
    ):
        if bound is not None:
            yield f"bounded: at most {bound:,} {name}"
    yield f"symmetry {'on' if options.symmetry else 'off'}"
    strengths = ", ".join(map(str, options.strengths))
    if strengths:
        yield f"strengths of Z, the over-approximation: {strengths}"
    else:
        yield "without Z, the over-approximation"
    if options.tops > 1:
        yield f"the top {options.tops} symbols of each stack are looked at"
    if not options.liveness:
        yield "values of dead variables are kept"
    if not options.fusion:
        yield "every step counts: none are fused"
    yield f"evidence is {'checked' if options.check else 'not checked'}"


def _stops(results: list[Result]) -> Iterator[str]:
    for result in results:
        if result.reason:
            yield result.reason
