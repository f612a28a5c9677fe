"""`tepui inspect`: what a file holds."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

import click

from tepui.cli.arguments import SystemFlags, json_flag, load_model, system_flags
from tepui.cli.program_options import asked_questions
from tepui.convergence import emerging_symbols, has_finite_context_reachability
from tepui.model import System, Template
from tepui.program.program import Program
from tepui.report.text import property_text

_SHOWN = 40


@click.command("inspect")
@system_flags
@json_flag
def command(as_json: bool, **flags: Any) -> int:
    """Show threads, templates, rules, finite-context reachability and emerging symbols.

    FILE is a program (.bp) or a system (.pds, .cpds). Of a program, its control-flow graphs, its
    threads, its questions and its call-return relation are shown.

    Exit code: 0 shown, 2 wrong input or use.
    """
    model = load_model(cast(SystemFlags, flags))
    if isinstance(model, Program):
        from tepui.cli.program_inspect import describe_program, description_text

        found = describe_program(model, asked_questions(model, flags))
        text = description_text(found)
    else:
        found = describe(model)
        text = _text(found)
    click.echo(json.dumps(found, indent=2) if as_json else text)
    return 0


def describe(system: System) -> dict[str, Any]:
    """What there is to know about a system before running anything but the test of Theorem 29."""
    finite = has_finite_context_reachability(system)
    return {
        "system": system.name,
        "shared_states": len(system.shared),
        "initial": system.state_text(system.initial, system.initial_stacks()),
        "property": property_text(system, system.property) or None,
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


def _text(found: dict[str, Any]) -> str:
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
    return "\n".join(lines)


def _count(number: int, noun: str, nouns: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _some(names: list[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
