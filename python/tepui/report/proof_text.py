"""Why a verdict holds, in words that need no paper: what was explored, which pauses there were,
what Z is and what it excludes, and what the evidence says.

The words follow the result. Its subject names the generators that a plateau still waited for, and
computes them again where that is cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tepui.checker import Evidence, Trace
from tepui.checker.certificates.diagram import DiagramCertificate
from tepui.checker.certificates.orbits import OrbitCertificate
from tepui.checker.certificates.products import SymbolicCertificate
from tepui.checker.certificates.states import Certificate
from tepui.checker.certificates.system_covering import SystemCovering
from tepui.checker.invariants.invariant import Invariant
from tepui.checker.invariants.summaries import Summaries
from tepui.checker.named_covering import NamedCovering
from tepui.checker.programs.modular_z import ModularZ
from tepui.checker.programs.program_check import derivation_of
from tepui.engines.rounds import Round
from tepui.errors import CheckStopped
from tepui.model.system import VisibleState
from tepui.parameter_names import named
from tepui.program.program import Program
from tepui.records import record
from tepui.report.bounds import bounds_of, contexts_text, count_text, trace_text, within_text
from tepui.report.invariant_text import InvariantText, invariant_text
from tepui.report.summaries_text import summaries_text
from tepui.result import Result, ZSummary
from tepui.subject.derivations import Slots
from tepui.subject.missing_generators import Awaited
from tepui.subject.plateaus import Plateau, plateaus_in
from tepui.words import counted, plural

SHOWN = 8
"""How many states, or plateaus, are listed one by one."""


@record
class Paragraph:
    """A step of an explanation, with a list where it has one."""

    title: str
    text: str
    items: tuple[str, ...] = ()


def explained(result: Result) -> tuple[Paragraph, ...]:
    """The explanation of a result, from what was seen to what was checked."""
    return tuple(_paragraphs(result))


def invariant_of(result: Result) -> InvariantText | None:
    """The invariant that a result rests on, in words."""
    program = result.subject.program
    if program is None or result.proof is None:
        return None
    if result.proof.kind not in ("invariant", "summaries"):
        return None
    about = derivation_of(program).proved
    evidence = result.evidence
    if isinstance(evidence, Summaries):
        return summaries_text(about, evidence)
    assert isinstance(evidence, Invariant)
    return invariant_text(about, evidence)


def not_explored(any_number: Sequence[str]) -> str:
    """Why what is reachable cannot be listed, with any number of threads of these types."""
    return (
        f"Exploration was left out: there is any number of threads {', '.join(any_number)},"
        f" so there are infinitely many states. {named('threads')} says how many threads to "
        "explore."
    )


def _paragraphs(result: Result) -> Iterator[Paragraph]:
    if not result.has_rounds:
        yield Paragraph("What was tried", _tried(result))
        yield Paragraph("What follows", _conclusion(result))
        yield from _about_evidence(result)
        return
    yield Paragraph("What was explored", _explored(result))
    generators = result.subject.generators(result.z)
    pauses = _pauses(result, generators)
    if pauses is not None:
        yield pauses
    if result.z is not None:
        yield _from_above(result, result.z, generators)
    yield Paragraph("What follows", _conclusion(result))
    yield from _about_evidence(result)


def _explored(result: Result) -> str:
    last = result.rounds[-1]
    if last.delays is not None:
        bound = f"{counted(last.delays.rounds, 'round')} and {counted(last.delays.delays, 'delay')}"
        text = (
            "A scheduler goes round, one step for each thread, and may delay some of them. "
            f"R(r, d), all that it reaches within {bound}, has {_states(last)}"
        )
    elif last.k == 0:
        text = _nothing_explored(result)
    elif last.steps is not None:
        text = (
            "Exploration started from the initial state, and took one step of any thread after "
            f"another. What {counted(last.steps, 'step')} can reach has {_states(last)}"
        )
    else:
        text = (
            "Exploration started from the initial state, and allowed one more context each time. "
            f"R_{last.k} is all that {contexts_text(last.k)} can reach; it has {_states(last)}"
        )
    return text + _about_slots(result) + _about_instance(result)


def _tried(result: Result) -> str:
    """How an answer was looked for without an exploration of its own."""
    what = "program, with more and more threads and larger and larger integers,"
    if result.subject.program is None:
        what = "system, with more and more threads,"
    text = (
        f"Instances of the {what} were explored for violations. In turn with that, proofs for all "
        "instances at once were looked for."
    )
    return text if result.proof is None else f"{text} {_FOUND_BY.get(result.proof.kind, '')}"


_FOUND_BY = {
    "upward-closed": (
        "A search went backwards from what is bad, and collected the smallest numbers of threads, "
        "and their states, from which it can be reached. It ended, as such a search always does "
        "where a thread has finitely many states."
    ),
    "modular": (
        "Z was computed for a few observed threads: what all of them do, and what any other thread "
        "can do to the shared variables, if it is in a state in which an observed one may be."
    ),
    "invariant": (
        "Conditions were collected that every invariant about a few observed threads must satisfy "
        "(Horn clauses), and a solver found formulas that do."
    ),
    "summaries": (
        "Conditions were collected that formulas about one activation of each procedure must "
        "satisfy, between its call and its return (Horn clauses), and a solver found formulas that "
        "do."
    ),
}


def _about_instance(result: Result) -> str:
    """The numbers of threads, the integers and the values of what was explored, if these were
    chosen."""
    threads, program = result.threads, result.subject.program
    if _is_sample(program):
        return (
            " All this is about a sample of the program, in which choices among many values have a "
            "few of them. Each of its runs is a run of the program."
        )
    parts = [threads.text] if threads is not None and threads.counts else []
    bounds = getattr(program, "integers_as", None)
    if bounds is not None:
        parts.append(f"integers from {bounds.low} to {bounds.high}")
    if not parts:
        return ""
    what = "system" if program is None else "program"
    return (
        f" All this is about an instance of the {what}, with {' and '.join(parts)}. Each of its "
        f"runs is a run of the {what}."
    )


def _is_sample(program: Program | None) -> bool:
    """Whether choices have fewer values than in the program as written."""
    return program is not None and program.made_by == "samples"


def _states(last: Round) -> str:
    """The number of states, and how many of these look different."""
    noun = "states" if last.states is None else plural(last.states, "state")
    return (
        f"{count_text(last.states)} {noun}. Who sees only the shared state and the tops of all "
        f"stacks sees {counted(last.visible, 'visible state')}."
    )


def _nothing_explored(result: Result) -> str:
    if result.others:
        return "The engine that has the answer had looked at the initial state only."
    needless = result.verdict == "safe" or result.bound == 0
    why = "nothing had to be explored" if needless else "no round was completed"
    return f"Only the initial state was looked at: {why}."


def _about_slots(result: Result) -> str:
    """The program that the explanation is about, if it is not the one that was written."""
    slots = _too_few_slots(result)
    if slots is None:
        return ""
    enough = "may be too few"
    if slots.bound is not None:
        enough = f"are enough for {contexts_text(slots.bound)}"
    return (
        f" All this is about the program with {counted(slots.count, 'slot')} for forked threads, "
        f"which {enough}."
    )


def _too_few_slots(result: Result) -> Slots | None:
    """The slots, unless forked threads have as many as they ever need."""
    return None if result.verdict in ("safe", "collapsed") else result.subject.slots


def _pauses(result: Result, generators: list[VisibleState] | None) -> Paragraph | None:
    """The plateaus, and what could still emerge there."""
    found = plateaus_in([row.visible for row in result.rounds])
    if not found:
        return None
    title = "Plateaus"
    text = (
        "Where a round adds no visible state, the sequence pauses. That alone proves nothing: "
        "below the tops, stacks may go on growing, and a return may bring something new up later."
    )
    if result.rounds[-1].delays is not None:
        text += " Nor has every thread had its turn in every state after one round or one delay."
        return Paragraph(title, text, _some(_pause_in_steps(result, pause) for pause in found))
    waited = result.subject.awaited(result, generators)
    if waited is None:
        return Paragraph(title, text, _some(_pause(result, pause) for pause in found))
    text += (
        " What shows up first after a pause is a generator: a visible state to which a pop may "
        "lead. As long as Z contains one that was not reached, a plateau alone is not believed."
    )
    return Paragraph(title, text, _some(_waited(result, one) for one in waited))


def _pause(result: Result, pause: Plateau) -> str:
    rounds = result.rounds
    (name, first), (_, last) = (bounds_of(rounds[k])[0] for k in (pause.first, pause.last))
    text = f"From {first} to {last} {name} nothing new"
    if pause.final:
        return f"{text}, {_end_of_last(result)}."
    after = bounds_of(rounds[pause.last + 1])[0][1] if pause.last + 1 < len(rounds) else last + 1
    return f"{text}, and at {after} there was: a pause, not the end."


def _end_of_last(result: Result) -> str:
    """What is known about the sequence after the last plateau."""
    collapsed = result.proof is not None and bool(result.proof.because)
    return "and nothing can come after" if collapsed else "until exploration ended"


def _pause_in_steps(result: Result, pause: Plateau) -> str:
    first, last = (result.rounds[place].delays for place in (pause.first, pause.last))
    assert first is not None
    assert last is not None
    text = (
        f"From {counted(first.rounds, 'round')} and {counted(first.delays, 'delay')} to "
        f"{counted(last.rounds, 'round')} and {counted(last.delays, 'delay')} nothing new"
    )
    return f"{text}, {_end_of_last(result)}." if pause.final else f"{text}, and then there was."


def _waited(result: Result, one: Awaited) -> str:
    missing = one.generators
    pause = _pause(result, one.plateau)
    if not missing:
        return f"{pause} All generators in Z had been reached: this plateau is final."
    names = [result.system.visible_text(visible) for visible in missing[:SHOWN]]
    more = [f"and {len(missing) - SHOWN:,} more"] if len(missing) > SHOWN else []
    noun = "a generator that was" if len(missing) == 1 else "generators that were"
    listed = "; ".join(f"⟨{name}⟩" for name in names) + "".join(f"; {text}" for text in more)
    return f"{pause} Z has {noun} not reached then: {listed}."


def _from_above(result: Result, z: ZSummary, generators: list[VisibleState] | None) -> Paragraph:
    slots = "" if _too_few_slots(result) is None else " with these slots"
    text = (
        "Z is computed without counting contexts: of each stack it keeps only the top"
        f"{_kept(z.strength)}, and at a return it lets everything emerge that "
        f"{_STRENGTHS.get(z.strength.partition(':')[0], 'may be below')}. "
        f"So it contains every visible state that any number of contexts can reach{slots}, "
        "and maybe more."
    )
    if not z.complete:
        return Paragraph(
            "From above: Z", f"{text} It was not complete when the run ended, and says nothing."
        )
    text += f" This one ({z.strength}) has {counted(z.visible_states, 'visible state')}."
    if generators:
        are = "is" if len(generators) == 1 else "are"
        text += (
            f" Among them {are} {counted(len(generators), 'generator')}, visible states to which a "
            f"pop may lead{_exchanging(result.system.groups)}."
        )
    if z.exact:
        text += " Every return in it has only one outcome, so it is exact: it has nothing more."
    return Paragraph("From above: Z", text)


_STRENGTHS = {
    "cut": "any call ever leaves on a stack",
    "omega": "was pushed by a call of the procedure that returns",
    "omega-l": "was pushed by a call of the procedure that returns, with the same local variables",
    "omega-ll": "was pushed by a call of the procedure that returns, its variables matched",
    "matched": "was found to lie below, in a relation that grows together with Z",
}


def _kept(strength: str) -> str:
    depth = strength.partition(":")[2]
    return f" {depth} symbols" if depth else ""


def _conclusion(result: Result) -> str:
    match result.verdict:
        case "unsafe":
            return _why_unsafe(result)
        case "safe" | "collapsed":
            return _why_final(result)
        case "bounded":
            return (
                f"Everything {within_text(result)} was explored, and nothing in it is bad. "
                "That is no proof for larger bounds."
            )
        case _:
            return (
                f"There is no answer: {result.reason}. "
                "What was found until then holds; what was not found may still exist."
            )


def _why_unsafe(result: Result) -> str:
    trace = result.trace
    if trace is None:
        return "A bad state was reached."
    text = f"The trace is a run into a bad state, with {trace_text(trace)}."
    known = not any(note.kind == "limits" for note in result.remarks)
    fewest = known and result.knows_fewest_contexts and result.bound == trace.contexts
    if known and result.resource == "contexts" and not result.bound_is_fewest:
        text += (
            f" The engine {result.engine} does not look for the fewest contexts. Its trace was "
            "made shorter, as far as a second's work allows, but fewer contexts may be enough."
        )
    if fewest and trace.contexts and _about_instance(result):
        about = "sample" if _is_sample(result.subject.program) else "instance"
        return f"{text} In this {about}, fewer contexts are not enough."
    if fewest and trace.contexts:
        threads = " with these numbers of threads" if result.threads else ""
        text += (
            f" Fewer contexts are not enough{threads}: all they can reach was explored before, "
            "without one."
        )
    return text


def _why_final(result: Result) -> str:
    proof = result.proof
    assert proof is not None
    if proof.kind == "Z is free":
        return (
            "No state of Z is bad, and Z contains everything that can be reached. "
            "So no bad state can be reached, with any number of contexts. That needs no plateau."
        )
    if proof.kind in _WHY_ALWAYS:
        return _WHY_ALWAYS[proof.kind]
    if proof.kind == "Z is exact":
        return "Z is exact, so the visible states in it are exactly those that can be reached."
    reached = "; so nothing bad can come" if result.asked else ""
    return f"{proof.because}{reached}. {_bound(result)}".rstrip()


_WHY_ALWAYS = {
    "upward-closed": (
        "Nobody can start in a state from which something bad can be reached. So nothing bad can "
        "be reached, with any number of threads and of contexts."
    ),
    "modular": (
        "Whichever threads of a run are observed, what is seen of them is in this Z, and none of "
        "it is bad. So nothing bad can be reached, with any number of threads and of contexts."
    ),
    "invariant": (
        "The invariant holds in the beginning, every step of an observed thread and of any other "
        "one keeps it, and nothing bad satisfies it. So nothing bad can be reached, for all "
        "numbers of threads and all integers that the program allows, and any number of contexts."
    ),
    "summaries": (
        "The formulas hold in the beginning, and whatever a thread does keeps them: a step, a "
        "call, a return to where the caller goes on, and a step of another thread. Nothing bad "
        "satisfies them. So nothing bad can be reached, for all numbers of threads, all heights of "
        "stacks and all integers that the program allows, and any number of contexts."
    ),
}


def _bound(result: Result) -> str:
    return "" if result.bound is None else f"All of it was there {within_text(result)}."


def _about_evidence(result: Result) -> Iterator[Paragraph]:
    if result.grounds is None:
        return
    title = "The trace" if result.verdict == "unsafe" else "The certificate"
    try:
        text = _evidence(result.evidence)
    except CheckStopped as error:
        text = f"It could not be made: {error}."
    if text:
        yield Paragraph(title, text)
    yield Paragraph("The check", _checked() if result.checked else _UNCHECKED)


def _checked() -> str:
    return (
        "A checker that shares no code with the engines has accepted this evidence before the "
        f"verdict was given. {named('evidence')} writes it down, and the command tepui check "
        "examines it again."
    )


_UNCHECKED = (
    "The checker has not examined this evidence: that was switched off, or cut short by a limit."
)


def _evidence(evidence: Evidence | None) -> str:
    """What evidence claims, and what its check consists of."""
    closed = (
        "It contains the initial state, it has no bad state, and no step of any thread leads out "
        "of it. These three facts are what the checker verifies, and together they are the proof."
    )
    match evidence:
        case Trace():
            steps = counted(len(evidence.steps), "step")
            return (
                f"It has {steps} of the system, an atomic section being one, each with its thread, "
                "its rule and the state after it. The "
                "checker replays them from the initial state, and sees that the last state is bad."
            )
        case NamedCovering():
            return _covering(evidence)
        case ModularZ():
            return (
                f"It lists {counted(evidence.size, 'state')} of {_observed(evidence.observed)}: "
                "the shared variables, and the top of each stack; and what may lie below. The "
                "checker sees that what threads begin with is listed, that no step of an observed "
                "thread or of any other leads out of the list, and that nothing in it is bad."
            )
        case Invariant():
            return (
                f"It has formulas for {counted(evidence.size, 'combination')} of places at which "
                f"{_observed(sum(evidence.observed))} may be. The checker works out by itself what "
                "has to be shown for each step of the program, and asks the solver cvc5, which did "
                "not take part in finding them."
            )
        case Summaries():
            return (
                f"It has formulas for {counted(evidence.size, 'place')} at which a thread may be, "
                "about the procedure that it runs there. The checker works out by itself what has "
                "to be shown for each step, each call and each return, and asks the solver cvc5, "
                "which did not take part in finding them."
            )
        case Certificate(kind="states"):
            count = counted(evidence.size, "whole state")
            return f"It lists {count}{_exchanging(evidence.groups)}. {closed}"
        case OrbitCertificate():
            count = counted(evidence.size, "whole state")
            return (
                f"It lists {count}{_exchanging(evidence.groups)}, with the identities of threads "
                f"in variables exchanged as well. {closed}"
            )
        case Certificate():
            count = counted(evidence.size, "cut state")
            return f"It lists {count}{_exchanging(evidence.groups)}{_BELOW}. {closed} {_AT_A_POP}"
        case DiagramCertificate(kind="states"):
            return f"It is a decision diagram with {counted(evidence.size, 'node')}. {closed}"
        case DiagramCertificate():
            count = counted(evidence.size, "node")
            return (
                f"It is a decision diagram of cut states with {count}{_BELOW}. {closed} {_AT_A_POP}"
            )
        case SymbolicCertificate():
            return (
                f"It is a union of {counted(evidence.size, 'product')} of languages of stacks. "
                f"{closed}"
            )
        case _:
            return ""


_BELOW = ", and says for each stack symbol what may lie below it"
_AT_A_POP = "At a pop, all that may lie below has to be in it."


def _covering(evidence: NamedCovering) -> str:
    count = counted(len(evidence.invariants), "invariant")
    excluded = f"{count} of sums of threads exclude what never occurs"
    seen = ""
    if isinstance(evidence, SystemCovering):
        what = "top" if evidence.height == 1 else f"uppermost {evidence.height} symbols"
        seen = f"Of each stack it looks at the {what} only. "
    if not evidence.size:
        return seen + (
            f"It says that {excluded}, and that this is everything bad. The checker sees that no "
            "step makes such a sum larger than it may be."
        )
    elements = counted(evidence.size, "minimal element")
    return seen + (
        f"It stands for all states with at least the threads of one of {elements}; {excluded}. The "
        "checker sees that no initial state is among them, that all bad ones are, and that no step "
        "leads into them from outside."
    )


def _observed(count: int) -> str:
    return counted(count, "observed thread")


def _exchanging(groups: Iterable[Sequence[int]]) -> str:
    equal = any(len(group) > 1 for group in groups)
    return ", up to exchanging equal threads" if equal else ""


def _some(items: Iterable[str]) -> tuple[str, ...]:
    listed = list(items)
    more = [f"… and {len(listed) - SHOWN:,} more."] if len(listed) > SHOWN else []
    return (*listed[:SHOWN], *more)
