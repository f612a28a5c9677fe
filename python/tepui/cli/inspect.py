"""`tepui inspect`: what a file holds."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import click

from tepui.cli.arguments import SystemFlags, json_flag, load_model, system_flags
from tepui.cli.output import echo_json
from tepui.cli.picture_options import Drawing, checked_drawing, drawing_flags
from tepui.cli.program_options import asked_questions
from tepui.engines.finite_context import has_finite_context_reachability
from tepui.errors import UsageError
from tepui.model import System, Template
from tepui.program.program import Program
from tepui.report.pictures.graph import Graph
from tepui.report.terminal.printing import echo
from tepui.report.text.paint import joined
from tepui.subject import SystemSubject
from tepui.z import emerging_symbols

_SHOWN = 40


@click.command("inspect")
@system_flags
@json_flag
@click.option("--calls", is_flag=True, help="For programs: draw the call graph.")
@click.option("--procedure", metavar="NAME", help="For programs: draw this procedure only.")
@click.option(
    "--bits", is_flag=True, help="For programs: show the order of bits of the engine bdd."
)
@drawing_flags
def command(as_json: bool, calls: bool, procedure: str | None, bits: bool, **flags: Any) -> int:
    """Show threads, templates, rules, finite-context reachability and emerging symbols.

    FILE is a program (.bp, or Java: .java, .class, .jar, a folder) or a system (.pds, .cpds), or -
    for standard input. For programs, the control-flow graphs, the threads, the questions and the
    call-return relation are shown.

    --svg draws the control flow of a program, or the rules of a system. --dot prints it for
    Graphviz, instead of the usual output. --bits shows how the engine bdd
    would write states in bits.

    Exit code: 0 shown, 2 wrong input or use.
    """
    drawing = checked_drawing(flags)
    _check_options(drawing, as_json, {"--calls": calls, "--procedure": procedure is not None})
    model = load_model(cast(SystemFlags, flags), "inspect")
    if bits:
        _show_bits(model, drawing, as_json)
        return 0
    graph = _graph(model, calls, procedure) if drawing.is_wanted else None
    picture = None if graph is None else drawing.picture(graph)
    if graph is not None and drawing.as_dot:
        drawing.print_dot(graph)
    else:
        _show(model, flags, as_json)
    drawing.write(picture)
    return 0


def _show_bits(model: System | Program, drawing: Drawing, as_json: bool) -> None:
    from tepui.cli.inspect_bits import bits_lines, describe_bits

    if drawing.is_wanted:
        raise UsageError("--bits says what is printed: it does not go with --svg and --dot")
    if not isinstance(model, Program):
        raise UsageError(f"--bits is for programs: {model.name} is a system")
    found = describe_bits(model)
    if as_json:
        echo_json(found)
    else:
        echo(joined(bits_lines(found)))


def _show(model: System | Program, flags: dict[str, Any], as_json: bool) -> None:
    if isinstance(model, Program):
        from tepui.cli.program_inspect import describe_program, description_lines

        found = describe_program(model, asked_questions(model, flags))
        lines = description_lines(found)
    else:
        found = describe(model)
        lines = _lines(found)
    if as_json:
        echo_json(found)
    else:
        echo(joined(lines))


def _check_options(drawing: Drawing, as_json: bool, given: dict[str, bool]) -> None:
    """Raise a UsageError if options do not go together."""
    if drawing.as_dot and as_json:
        raise UsageError("--json and --dot exclude each other: both say what is printed")
    if all(given.values()):
        raise UsageError("--calls and --procedure exclude each other")
    for option, is_given in given.items():
        if is_given and not drawing.is_wanted:
            raise UsageError(f"{option} says what is drawn: add --svg FILE or --dot")


def _graph(model: System | Program, calls: bool, procedure: str | None) -> Graph:
    if isinstance(model, Program):
        from tepui.report.pictures.program_graphs import call_graph, control_flow

        return call_graph(model) if calls else control_flow(model, procedure)
    if calls or procedure is not None:
        option = "--calls" if calls else "--procedure"
        raise UsageError(f"{option} is for programs: {model.name} is a system, which has rules")
    from tepui.report.pictures.system_graphs import rules_graph

    return rules_graph(model)


def describe(system: System) -> dict[str, Any]:
    """The facts about a system that need no run, except the test of Theorem 29."""
    finite = has_finite_context_reachability(system)
    return {
        "system": system.name,
        "shared_states": len(system.shared),
        "initial": system.state_text(system.initial, system.initial_stacks()),
        "property": SystemSubject(system).asked_text(system.property) or None,
        "threads": list(system.thread_names),
        "templates": [
            _describe_template(system, index, template, finite[index])
            for index, template in enumerate(system.templates)
        ],
        "finite_context_reachability": all(finite),
    }


def _describe_template(
    system: System, index: int, template: Template, finite: bool
) -> dict[str, Any]:
    kinds = Counter(rule.kind for rule in template.rules)
    return {
        "name": template.name,
        "threads": [system.thread_names[thread] for thread in system.groups[index]],
        "symbols": len(template.symbols) - 1,
        "stack": template.word_text(template.stack),
        "rules": len(template.rules),
        "pops": kinds["pop"],
        "overwrites": kinds["overwrite"],
        "pushes": kinds["push"],
        "rules_on_the_empty_stack": sum(rule.top == 0 for rule in template.rules),
        "finite_context_reachability": finite,
        "emerging_symbols": [
            template.symbols[symbol] for symbol in sorted(emerging_symbols(template))
        ],
    }


def _lines(found: dict[str, Any]) -> list[str]:
    lines = [
        f"{found['system']}: {_count(found['shared_states'], 'shared state')}, "
        f"{_count(len(found['threads']), 'thread')} of "
        f"{_count(len(found['templates']), 'template')}",
        f"  initial   {found['initial']}",
        f"  property  {'bad: ' + found['property'] if found['property'] else 'none'}",
    ]
    for template in found["templates"]:
        threads = template["threads"]
        lines += [
            f"template {template['name']}: {_count(len(threads), 'thread')} ({_some(threads)})",
            f"  stack     {template['stack']}",
            f"  rules     {template['rules']}: {_count(template['pops'], 'pop')}, "
            f"{_count(template['overwrites'], 'overwrite')}, "
            f"{_count(template['pushes'], 'push', 'pushes')}; "
            f"{template['rules_on_the_empty_stack']} of these rules act on the empty stack",
            f"  symbols   {template['symbols']}, of which emerging: "
            f"{_some(template['emerging_symbols']) or 'none'}",
            "  finite-context reachability: "
            + ("yes" if template["finite_context_reachability"] else "not shown"),
        ]
    return lines


def _count(number: int, noun: str, nouns: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _some(names: list[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
