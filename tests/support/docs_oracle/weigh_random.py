"""Random weighted systems as docs/weighted.md has them, with sets of all kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from support.docs_oracle.systems_random import random_pattern, reach_name

SIMPLE = ("boolean", "min-path", "shortest-path", "relations", "sets", "affine")
COMPOSED = ("weighted-relations", "pairs", "matrices")


@dataclass
class WeighCase:
    """The object of a file, the options, and what is in it."""

    text: dict[str, Any]
    starts: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    contexts: int | None = None
    files: dict[str, Any] = field(default_factory=dict)  # for --from @FILE and --to @FILE
    features: set[str] = field(default_factory=set)


def random_domain(rng: Random, depth: int, inner: bool = False) -> Any:
    """A domain as JSON; `inner` ones are no paths by rules and no affine maps."""
    name = rng.choice(SIMPLE + COMPOSED if depth else SIMPLE)
    if inner and name in ("shortest-path", "affine"):
        name = "min-path"
    if name == "relations":
        return {"name": name, "states": rng.choice((1, 2, 3))}
    if name == "sets":
        facts: Any = rng.choice((["x"], ["x", "y"], ["a b", "y", "z"], 2))
        return {"name": name, "facts": facts, "meet": rng.choice(("union", "intersection"))}
    if name == "affine":
        variables: Any = rng.choice((["x"], ["x", "y"], 2))
        modulus = rng.choice((None, 2, 4, 6) if variables == ["x"] else (None, 2, 3))
        found = {"name": name, "variables": variables}
        return found if modulus is None else {**found, "modulus": modulus}
    if name == "weighted-relations":
        return {"name": name, "states": 2, "weights": random_domain(rng, depth - 1, True)}
    if name == "pairs":
        first, second = (random_domain(rng, depth - 1, True) for _ in range(2))
        return {"name": name, "first": first, "second": second}
    if name == "matrices":
        return {"name": name, "order": 2, "entries": random_domain(rng, depth - 1, True)}
    return rng.choice((name, {"name": name}))


def random_weight(rng: Random, domain: Any) -> Any:
    """A weight of a rule as JSON."""
    name = domain if isinstance(domain, str) else domain["name"]
    if name == "boolean":
        return rng.random() < 0.85
    if name in ("min-path", "shortest-path"):
        if name == "min-path" and rng.random() < 0.04:
            return None
        return rng.choice((0, 0, 1, 1, 2, 3, 5, 7, 2**63 - 1) if rng.random() < 0.1 else (0, 1, 2))
    if name == "relations":
        span = range(domain["states"])
        return [[x, y] for x in span for y in span if rng.random() < 0.5]
    if name == "sets":
        if rng.random() < 0.05:
            return None
        facts = domain["facts"] if isinstance(domain["facts"], list) else range(domain["facts"])
        kill, gen = ([fact for fact in facts if rng.random() < 0.3] for _ in range(2))
        return {"kill": kill, "gen": gen}
    if name == "affine":
        return {"assign": _assignments(rng, domain)}
    if name == "weighted-relations":
        pairs = [(x, y) for x in range(2) for y in range(2) if rng.random() < 0.6]
        return [[x, y, random_weight(rng, domain["weights"])] for x, y in pairs]
    if name == "pairs":
        return [random_weight(rng, domain[part]) for part in ("first", "second")]
    return [[random_weight(rng, domain["entries"]) for _ in range(2)] for _ in range(2)]


def _assignments(rng: Random, domain: Any) -> dict[str, Any]:
    names = domain["variables"]
    if not isinstance(names, list):
        names = [f"x{at + 1}" for at in range(names)]
    count = len(names)
    high = domain.get("modulus", 3) - 1
    found: dict[str, Any] = {}
    for name in names:
        kind = rng.random()
        if kind < 0.1:
            found[name] = "?"
        elif kind < 0.7:
            found[name] = [rng.randint(0, high) for _ in range(count + 1)]
    return found


def _rules(rng: Random, domain: Any, states: list[str], symbols: list[str]) -> list[dict[str, Any]]:
    rules = []
    pushes = rng.choice((0.0, 0.1, 0.3))
    live, tops = states[:1], symbols[:1]
    for _ in range(rng.choice((1, 2, 3, 4, 5, 6, 7))):
        length = rng.choice((2, 2, 3, 4)) if rng.random() < pushes else rng.choice((0, 1, 1))
        near = rng.random() < 0.75
        rule: dict[str, Any] = {
            "from": [rng.choice(live if near else states), rng.choice(tops if near else symbols)],
            "to": [rng.choice(states), *rng.choices(symbols, k=length)],
        }
        live = [*live, rule["to"][0]]
        tops = [*tops, *rule["to"][1:]]
        if rng.random() < 0.85:
            rule["weight"] = random_weight(rng, domain)
        rules.append(rule)
    return rules


def _used(rules: list[dict[str, Any]], symbols: bool) -> list[str]:
    found: list[str] = []
    for rule in rules:
        for side in (rule["from"], rule["to"]):
            found += side[1:] if symbols else side[:1]
    return list(dict.fromkeys(found))


def _pattern(
    rng: Random, states: list[str], symbols: list[str], simple: bool = False, short: bool = False
) -> str:
    shared = "*" if rng.random() < (0.1 if simple else 0.4) else reach_name(rng.choice(states))
    if simple and rng.random() < 0.5:
        shared = reach_name(states[0])
        stack = " ".join(map(reach_name, [symbols[0], *rng.choices(symbols, k=rng.randint(0, 2))]))
    elif simple and rng.random() < 0.8:
        stack = " ".join(map(reach_name, rng.choices(symbols, k=rng.choice((1, 1, 2)))))
    else:
        depth = rng.choice((0, 1) if short else (0, 1, 2))
        stack = ".*" if rng.random() < 0.15 else random_pattern(rng, symbols, depth)
    text = f"{shared},{rng.choice((' ', ''))}{stack}"
    return f"<{text}>" if rng.random() < 0.6 else text


def _automaton(rng: Random, states: list[str], symbols: list[str]) -> dict[str, Any]:
    transitions: list[list[Any]] = []
    nodes = [7, 8, 9]
    for _ in range(rng.choice((2, 3, 4, 5))):
        source = rng.choice([*states, *nodes])
        label = None if rng.random() < 0.15 else rng.choice(symbols)
        transitions.append([source, label, rng.choice(nodes)])
    accepting: list[Any] = rng.sample(nodes, rng.choice((1, 2)))
    if rng.random() < 0.15:
        accepting.append(rng.choice(states))
    return {"transitions": transitions, "accepting": accepting}


def _set(
    rng: Random, states: list[str], symbols: list[str], simple: bool, short: bool = False
) -> tuple[Any, str]:
    kind = rng.choice(("pattern", "pattern", "pattern", "list", "automaton"))
    if kind == "pattern":
        return _pattern(rng, states, symbols, simple, short), kind
    if kind == "list":
        count = rng.choice((1, 2))
        return [_pattern(rng, states, symbols, simple, short) for _ in range(count)], kind
    return _automaton(rng, states, symbols), kind


def _global(rng: Random, states: list[str], symbols: list[list[str]], simple: bool) -> str:
    shared = "*" if rng.random() < (0.1 if simple else 0.4) else reach_name(rng.choice(states))
    stacks = []
    for own in symbols:
        if simple and rng.random() < 0.6:
            stacks.append(
                " ".join(map(reach_name, [own[0], *rng.choices(own, k=rng.randint(0, 1))]))
            )
        elif simple:
            stacks.append(" ".join(map(reach_name, rng.choices(own, k=rng.choice((1, 1, 2))))))
        else:
            stacks.append("*" if rng.random() < 0.4 else random_pattern(rng, own, 1))
    return f"{shared} | {', '.join(stacks)}"


def sequential(rng: Random) -> WeighCase:
    """A system with one stack."""
    domain = random_domain(rng, rng.choice((0, 0, 1, 2)))
    states = rng.choice((["p"], ["p", "q"], ["p", "q", "r s"]))
    symbols = rng.choice((["a"], ["a", "b"], ["a", "b", "c+"]))
    rules = _rules(rng, domain, states, symbols)
    case = WeighCase({"format": "tepui-weighted-system", "version": 1, "domain": domain})
    case.features.add(domain if isinstance(domain, str) else domain["name"])
    if rng.random() < 0.3:
        case.text |= {"states": states, "symbols": symbols}
        case.features.add("listed names")
    else:
        states, symbols = _used(rules, False), _used(rules, True)
    case.text["rules"] = rules
    case.text["start"], kind = _set(rng, states, symbols, rng.random() < 0.7, True)
    case.features.add(f"start {kind}")
    case.text["target"], kind = _set(rng, states, symbols, simple=rng.random() < 0.4)
    case.features.add(f"target {kind}")
    if rng.random() < 0.2:
        case.starts = [
            _pattern(rng, states, symbols, True, True) for _ in range(rng.choice((1, 2)))
        ]
        case.features.add("--from")
    if rng.random() < 0.2:
        case.targets = [_pattern(rng, states, symbols) for _ in range(rng.choice((1, 2)))]
        case.features.add("--to")
    for option, short in (("--from", True), ("--to", False)):
        if rng.random() < 0.1:
            case.files[option] = _set(rng, states, symbols, short, short)[0]
            if isinstance(case.files[option], list):
                case.files[option] = case.files[option][0]
            case.features.add(f"{option} @FILE")
    return case


def concurrent(rng: Random) -> WeighCase:
    """A system with several threads."""
    domain = random_domain(rng, rng.choice((0, 0, 0, 1)))
    states = rng.choice((["p"], ["p", "q"], ["p", "q"]))
    threads: list[dict[str, Any]] = []
    for at in range(rng.choice((1, 2, 2, 2, 3))):
        symbols = rng.choice((["a"], ["a", "b"]))
        threads.append({"name": f"T{at}", "rules": _rules(rng, domain, states, symbols)})
        if rng.random() < 0.3:
            threads[-1]["symbols"] = symbols
    case = WeighCase({"format": "tepui-weighted-system", "version": 1, "domain": domain})
    case.features |= {domain if isinstance(domain, str) else domain["name"], "threads"}
    if rng.random() < 0.4:
        case.text["states"] = states
    else:
        states = _used([rule for thread in threads for rule in thread["rules"]], False)
    known = [thread.get("symbols") or _used(thread["rules"], True) for thread in threads]
    case.text["threads"] = threads
    for key, simple in (("start", True), ("target", False)):
        if rng.random() < 0.3:
            for thread, symbols in zip(threads, known, strict=True):
                thread[key], _ = _set(rng, states, symbols, simple, simple)
            case.features.add(f"own {key}")
        else:
            case.text[key] = _global(rng, states, known, simple)
    case.text["contexts"] = rng.choice((0, 1, 2, 2, 3, 3, 4))
    if rng.random() < 0.3:
        case.contexts = rng.choice((0, 1, 2, 3))
        case.features.add("--contexts")
    if rng.random() < 0.1 and len(threads) > 1:  # of one thread, options have another syntax
        case.starts = [_global(rng, states, known, True)]
        case.targets = [_global(rng, states, known, False)]
        case.features |= {"--from", "--to"}
    return case


def random_weighted(seed: int) -> WeighCase:
    """A random system, with one thread or several."""
    rng = Random(seed)
    return concurrent(rng) if rng.random() < 0.4 else sequential(rng)
