"""When classes are initialised, and the procedures that do it (JVMS 5.5).

The initialisers of most classes only make objects and store constants; nobody can tell when they
run, so they run at the beginning. That of the class with the entry runs first anyway. Every other
class has a procedure that is called where something triggers its initialisation: by one thread,
with those that it extends first, while all others wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tepui.languages.java.constants import FieldRef, MethodRef
from tepui.languages.java.heap import DONE, FAILED, NOT_STARTED, RUNNING
from tepui.languages.java.hierarchy import FINAL, STATIC, Hierarchy, JavaMethod, MethodKey
from tepui.languages.java.instructions import Instruction
from tepui.languages.java.intrinsics import INITIALISER, NO_CLASS
from tepui.languages.java.method_graph import Graph, Place
from tepui.languages.java.settled_fields import accesses_of_this, stores_into_new_arrays
from tepui.languages.java.sites import is_among
from tepui.languages.java.stack_values import integer
from tepui.languages.java.type_analysis import (
    Reachability,
    constant_before,
    direct_target,
    is_leaf,
)
from tepui.program.expressions import (
    TRUE,
    Binary,
    Conditional,
    Expression,
    Read,
    Variable,
    conjunction,
)
from tepui.program.program import (
    Assert,
    Assignment,
    Call,
    Position,
    Procedure,
    Receive,
    Return,
    Step,
)

if TYPE_CHECKING:
    from tepui.languages.java.java_program import Translation

CLINIT = ("<clinit>", "()V")

_ALLOWED = frozenset(
    [
        "aconst_null",
        "iconst",
        "lconst",
        "fconst",
        "dconst",
        "bipush",
        "sipush",
        "ldc",
        "ldc_w",
        "ldc2_w",
        "iload",
        "lload",
        "fload",
        "dload",
        "aload",
        "istore",
        "lstore",
        "fstore",
        "dstore",
        "astore",
        "pop",
        "pop2",
        "dup",
        "dup_x1",
        "dup_x2",
        "dup2",
        "swap",
        "i2b",
        "i2c",
        "i2s",
        "i2l",
        "l2i",
        "iadd",
        "isub",
        "imul",
        "ineg",
        "iand",
        "ior",
        "ixor",
        "ladd",
        "lsub",
        "lmul",
        "getfield",
        "putfield",
        "getstatic",
        "putstatic",
        "new",
        "newarray",
        "anewarray",
        "invokestatic",
        "invokespecial",
        "invokevirtual",
        "invokedynamic",
        "return",
        "areturn",
        "ireturn",
        "lreturn",
        "iastore",
        "lastore",
        "bastore",
        "castore",
        "sastore",
        "aastore",
        "fastore",
        "dastore",
        "nop",
        "goto",
        "ifeq",
        "ifne",
    ]
)
"""What initialisers may do that run at the beginning."""


class Initialisation:
    """Which classes are initialised when."""

    def __init__(self, reachability: Reachability, entry: JavaMethod) -> None:
        self._reachability = reachability
        self._hierarchy = reachability.hierarchy
        self._simple: dict[MethodKey, bool] = {}
        self.early: dict[str, None] = {}
        """The classes that are initialised at the beginning, in this order."""
        self._entry = entry.owner.name
        for name in reachability.initialised:
            self._try(name, [])
        self._add_entry()
        self.late: dict[str, None] = self._late()
        """All others that have anything to do then, or extend such a one."""

    def procedure_name(self, name: str) -> str:
        return f"initialise {name.replace('/', '.')}"

    def before(self, name: str) -> list[str]:
        """What is initialised late, and just before a class."""
        found: list[str] = []
        for each in self._hierarchy.initialised_before(name):
            found += [each] if each in self.late else self.before(each)
        return list(dict.fromkeys(found))

    def needed(self, name: str) -> list[str]:
        """What a trigger of a class has to initialise late: the class, or else what is above."""
        return [name] if name in self.late else self.before(name)

    def _add_entry(self) -> None:
        chain = [each.name for each in self._hierarchy.initialised_with(self._entry)]
        for name in reversed(chain):
            if name in self._reachability.initialised and not self._starts_threads(name):
                self.early.setdefault(name)

    def _late(self) -> dict[str, None]:
        known = self._reachability.initialised
        late = dict.fromkeys(name for name in known if name not in self.early)
        for name in self._reachability.triggered:
            above = self._above(name)
            if name not in self.early and any(each in late for each in above):
                late.setdefault(name)
        return late

    def _try(self, name: str, waiting: list[str]) -> bool:
        """Add a class to those that are initialised early, behind all that it needs."""
        if name in waiting:
            return False
        if name in self.early or name not in self._reachability.initialised:
            return True
        initialiser = self._initialiser(name)
        needed = dict.fromkeys(self._above(name))
        for each in self._triggers(initialiser):
            needed |= {} if each == name else dict.fromkeys([each, *self._above(each)])
        fine = self._is_simple(initialiser, name) and all(
            self._try(each, [*waiting, name]) for each in needed
        )
        if fine:
            self.early.setdefault(name)
        return fine

    def _above(self, name: str) -> list[str]:
        return [each.name for each in self._hierarchy.initialised_with(name)][1:]

    def _initialiser(self, name: str) -> JavaMethod:
        found = self._hierarchy.find(name)
        assert found is not None
        return found.methods[CLINIT]

    def _starts_threads(self, name: str) -> bool:
        """Whether another thread may run before a class is initialised."""
        return any(
            instruction.name.startswith("invoke")
            and isinstance(instruction.operand, MethodRef)
            and instruction.operand.name in ("start", "execute", "submit", "schedule")
            for method in self._called(self._initialiser(name))
            for instruction in _instructions(method)
        )

    def _triggers(self, method: JavaMethod) -> Iterator[str]:
        """The classes whose initialisation a method triggers, with what it calls."""
        for each in self._called(method):
            for instruction in _instructions(each):
                yield from triggered_by(self._hierarchy, each, instruction)

    def _called(self, method: JavaMethod) -> list[JavaMethod]:
        """The methods that a method calls directly, and so on, itself first."""
        found, waiting = {method.key: method}, [method]
        while waiting:
            at = waiting.pop()
            for instruction in _instructions(at):
                if instruction.name.startswith("invoke") and isinstance(
                    instruction.operand, MethodRef
                ):
                    target = direct_target(self._hierarchy, at, instruction)
                    if (
                        target
                        and target.key in self._reachability.methods
                        and target.key not in found
                    ):
                        found[target.key] = target
                        waiting.append(target)
        return list(found.values())

    def _is_simple(self, initialiser: JavaMethod, owner: str) -> bool:
        return all(
            self._is_harmless(method, owner, instruction)
            for method in self._called(initialiser)
            for instruction in _instructions(method)
        )

    def _is_harmless(self, method: JavaMethod, owner: str, instruction: Instruction) -> bool:
        """Whether nobody can tell when an instruction is executed, and it cannot fail."""
        if instruction.operation not in _ALLOWED:
            return False
        if any(target <= instruction.pc for target in instruction.targets):
            return False
        operand = instruction.operand
        if method.is_synchronized:
            return False
        if instruction.name in ("getfield", "putfield"):
            return method.name == "<init>" and instruction.pc in accesses_of_this(method)
        if instruction.name in ("newarray", "anewarray"):
            return constant_before(method, instruction) is not None
        if (
            instruction.name.endswith("astore")
            and instruction.operation == instruction.name
            and (len(instruction.name) == 7)
        ):
            return instruction.pc in stores_into_new_arrays(method)
        if isinstance(operand, FieldRef) and instruction.name in ("getstatic", "putstatic"):
            field = self._hierarchy.field(operand)
            if field is None:
                return False
            if instruction.name == "putstatic":
                return field.owner == owner
            return field.owner == owner or bool(field.flags & FINAL)
        if isinstance(operand, MethodRef):
            return self._is_harmless_call(method, instruction, operand)
        return True

    def _is_harmless_call(
        self, method: JavaMethod, instruction: Instruction, reference: MethodRef
    ) -> bool:
        if reference.name == "desiredAssertionStatus":
            return True
        if instruction.name == "invokevirtual":
            return False
        target = direct_target(self._hierarchy, method, instruction)
        if target is None:
            return False
        if target.owner.name == "tepui/Intrinsics":
            return target.name in ("opaqueString", "currentThread", "isOpaque")
        return not is_leaf(self._hierarchy, target) or target.name == "<init>"


def triggered_by(
    hierarchy: Hierarchy, method: JavaMethod, instruction: Instruction
) -> Iterator[str]:
    """The class whose initialisation an instruction triggers, if it does."""
    operand = instruction.operand
    if instruction.name in ("getstatic", "putstatic") and isinstance(operand, FieldRef):
        field = hierarchy.field(operand)
        if field is not None and field.constant is None:
            yield field.owner
    elif instruction.name == "invokestatic" and isinstance(operand, MethodRef):
        target = direct_target(hierarchy, method, instruction)
        if target is not None and target.flags & STATIC:
            yield target.owner.name
    elif instruction.name == "new":
        yield operand.name  # type: ignore[union-attr]


def _instructions(method: JavaMethod) -> tuple[Instruction, ...]:
    return method.code.instructions if method.code else ()


def initialising_procedure(translation: Translation, name: str, position: Position) -> Procedure:
    """The procedure that initialises a class, or waits until another thread has done so."""
    return _Initialiser(translation, name, position).procedure()


class _Initialiser:
    """Makes the procedure for one class."""

    def __init__(self, translation: Translation, name: str, position: Position) -> None:
        self.translation, self.name, self.position = translation, name, position
        self.graph = Graph(translation.initialisation.procedure_name(name))
        reference = translation.heap.reference
        self.me = Variable("me", reference, self.graph.name, 0)
        self.thrown = Variable("thrown.a", reference, self.graph.name, 0)
        self.throws = translation.initialiser_throws(name)
        self.state = translation.heap.class_state(name)
        self.running = translation.heap.class_initialiser(name)

    def procedure(self) -> Procedure:
        start = self.place(f"initialise {self.name.replace('/', '.')}")
        first = self._begin(start)
        failed = self.place()
        at = first
        for above in self.translation.initialisation.before(self.name):
            called = self.translation.initialisation.procedure_name(above)
            at = self._call(at, called, failed, self.translation.initialiser_throws(above))
        found = self.translation.hierarchy.find(self.name)
        method = found.methods.get(CLINIT) if found else None
        if method is not None and method.key in self.translation.names:
            called = self.translation.names[method.key]
            at = self._call(at, called, failed, self.translation.throws(method))
        end = self.place()
        self._set(at, end, DONE)
        self.graph.add(Return(end, self._thrown(integer(0))))
        if self.throws:
            self._fail(failed)
        results = (self.me.scalar,) if self.throws else ()
        return self.graph.procedure((self.me, self.thrown), 1, results, self.position)

    def _begin(self, start: Place) -> Place:
        state, running = Read(self.state), Read(self.running)
        mine = Binary("=", running, Read(self.me))
        done = Binary("=", state, integer(DONE))
        again = Binary("or", done, conjunction(Binary("=", state, integer(RUNNING)), mine))
        self.graph.add(Return(start, self._thrown(integer(0)), again))
        first = self.place()
        begin = (
            Assignment(self.state, integer(RUNNING)),
            Assignment(self.running, Read(self.me)),
        )
        self.graph.add(Step(start, first, Binary("=", state, integer(NOT_STARTED)), begin))
        broken = Binary("=", state, integer(FAILED))
        number = self.translation.exception(NO_CLASS)
        if self.throws:
            self.graph.add(Return(start, self._thrown(integer(number)), broken))
        else:
            place = self.place()
            self.graph.add(Step(start, place, broken))
            self.graph.add(
                Assert(place, place, integer(0), TRUE, "exception", "NoClassDefFoundError")
            )
        return first

    def _call(self, at: Place, procedure: str, failed: Place, throws: bool) -> Place:
        back, after = self.place(), self.place()
        self.graph.add(Call(at, back, procedure, (Read(self.me),)))
        if not throws:
            self.graph.add(Step(back, after))
            return after
        received = self.place()
        self.graph.add(Receive(back, received, (self.thrown,)))
        thrown = Read(self.thrown)
        self.graph.add(Step(received, after, Binary("=", thrown, integer(0))))
        self.graph.add(Step(received, failed, Binary("!=", thrown, integer(0))))
        return after

    def _fail(self, failed: Place) -> None:
        """What an initialiser throws becomes an ExceptionInInitializerError, if it is no error."""
        end = self.place()
        self._set(failed, end, FAILED)
        errors = self.translation.numbers.ranges("java/lang/Error")
        wrapped = integer(self.translation.exception(INITIALISER))
        is_error = is_among(Read(self.thrown), errors)
        value = Conditional(is_error, Read(self.thrown), wrapped)
        self.graph.add(Return(end, (value,)))

    def _set(self, at: Place, target: Place, state: int) -> None:
        made = (Assignment(self.state, integer(state)), Assignment(self.running, integer(0)))
        self.graph.add(Step(at, target, TRUE, made))

    def _thrown(self, value: Expression) -> tuple[Expression, ...]:
        return (value,) if self.throws else ()

    def place(self, text: str = "") -> Place:
        return self.graph.place(self.position, text)
