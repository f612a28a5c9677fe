"""Boolean programs with `begin` and `end`: every construct, as a syntax tree."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from support.growth import grows_with_its_size
from tepui.errors import InputError
from tepui.languages.boolean import syntax
from tepui.languages.boolean.beginend import parse_begin_end
from tepui.languages.source import Source
from tepui.program.program import Position
from tepui.program.types import BOOLEAN


def parsed(text: str) -> syntax.SyntaxTree:
    tree = parse_begin_end(Source.of_text(text, "a.bp"))
    tree.refuse_errors()
    return tree


def body(statements: str) -> tuple[syntax.Statement, ...]:
    """The statements of a main procedure."""
    (main,) = parsed(f"void main() begin\n{statements}\nend").procedures
    return main.body


def kinds(statements: tuple[syntax.Statement, ...]) -> list[str]:
    return [type(statement).__name__ for statement in statements]


def value(expression: str) -> str:
    """An expression with all its parentheses."""
    (assign,) = body(f"x := {expression};")
    assert isinstance(assign, syntax.Assign)
    return said(assign.values[0])


def said(expression: syntax.Expression | None) -> str:
    match expression:
        case syntax.Number() | syntax.Truth():
            return str(expression.value)
        case syntax.Name():
            return expression.name
        case syntax.Next():
            return f"'{expression.name}"
        case syntax.Star():
            return "*"
        case syntax.Schoose():
            return f"schoose[{said(expression.positive)}, {said(expression.negative)}]"
        case syntax.Unary():
            return f"{expression.operator} {said(expression.operand)}"
        case syntax.Binary():
            return f"({said(expression.left)} {expression.operator} {said(expression.right)})"
        case syntax.Ternary():
            parts = (expression.condition, expression.then, expression.otherwise)
            return "({} ? {} : {})".format(*map(said, parts))
    raise AssertionError(expression)


def depth(expression: syntax.Expression) -> int:
    if isinstance(expression, syntax.Binary):
        return 1 + max(depth(expression.left), depth(expression.right))
    return 0


def test_declarations_and_procedures_may_alternate() -> None:
    tree = parsed("decl a, b; void f() begin end decl c := 1; dfs bool g(x, y) begin return x end")
    assert [(d.name, said(d.initial) if d.initial else None) for d in tree.globals] == [
        ("a", None),
        ("b", None),
        ("c", "1"),
    ]
    f, g = tree.procedures
    assert (f.name, f.results, f.parameters, f.body) == ("f", (), (), ())
    assert (g.name, g.results, [p.name for p in g.parameters]) == ("g", (BOOLEAN,), ["x", "y"])


def test_a_procedure_may_have_several_results() -> None:
    (f,) = parsed("bool<3> f() begin return 0, T, F; end").procedures
    assert f.results == (BOOLEAN,) * 3
    (returned,) = f.body
    assert isinstance(returned, syntax.Return)
    assert list(map(said, returned.values)) == ["0", "True", "False"]


@pytest.mark.parametrize(
    ("initial", "said_as"), [("0", "0"), ("1", "1"), ("T", "True"), ("*", "*")]
)
def test_a_declaration_may_give_an_initial_value(initial: str, said_as: str) -> None:
    (declaration,) = parsed(f"decl x := {initial};").globals
    assert said(declaration.initial) == said_as


def test_names_may_hold_signs_and_braces_may_hold_any_name() -> None:
    tree = parsed("decl $a#1, b-c, c$$x, {p->q == 0}; void main() begin {p->q == 0} := b-c; end")
    assert [d.name for d in tree.globals] == ["$a#1", "b-c", "c$$x", "{p->q == 0}"]
    (assign,) = tree.procedures[0].body
    assert assign.text == "{p->q == 0} := b-c"


def test_words_that_begin_with_keywords_are_names() -> None:
    assert kinds(body("endinit: skip; iffy := whiled; Tx := F1")) == ["Skip", "Assign", "Assign"]


def test_every_simple_statement_has_its_node() -> None:
    statements = """
        skip; goto a, b; x := 1; x, _ := f(y); f(); return; assert(x); assume(*); constrain(x);
        abortif x; enforce x; dead x, y; print(x, y); start_thread f(x); start_thread goto a;
        end_thread; atomic_begin; atomic_end; wait; broadcast; sync e;
    """
    assert " ".join(kinds(body(statements))) == (
        "Skip Goto Assign Call Call Return Assert Assume Assume "
        "AbortIf Enforce Dead Skip ThreadCreate StartGoto "
        "EndThread AtomicBegin AtomicEnd Unsupported Unsupported Unsupported"
    )


def test_the_parts_of_statements_are_kept() -> None:
    goto, call, dead, create, start, sync = body(
        "goto a, 7; x, _ := f(y, !z); dead x, y; start_thread f(x); start_thread goto a; sync e"
    )
    assert isinstance(goto, syntax.Goto)
    assert [name.name for name in goto.targets] == ["a", "7"]
    assert isinstance(call, syntax.Call)
    assert isinstance(call.targets[1], syntax.Ignored)
    assert call.procedure.name == "f"
    assert list(map(said, call.arguments)) == ["y", "not z"]
    assert isinstance(dead, syntax.Dead)
    assert [name.name for name in dead.variables] == ["x", "y"]
    assert isinstance(create, syntax.ThreadCreate)
    assert (create.procedure.name, list(map(said, create.arguments))) == ("f", ["x"])
    assert isinstance(start, syntax.StartGoto)
    assert start.target.name == "a"
    assert isinstance(sync, syntax.Unsupported)
    assert sync.construct == "sync"


def test_an_assignment_may_be_constrained_on_the_next_line() -> None:
    (assign,) = body("g0, g1 := *, schoose[F,T]\n   constrain ('g0 & g1) |\n (!'g0 & !g1);")
    assert isinstance(assign, syntax.Assign)
    assert list(map(said, assign.values)) == ["*", "schoose[False, True]"]
    assert said(assign.constraint) == "(('g0 and g1) or (not 'g0 and not g1))"


@pytest.mark.parametrize("separated", ["fi x := 1", "fi; x := 1", "fi;; x := 1;", "fi x := 1;"])
def test_a_semicolon_is_optional_after_fi_and_at_the_end(separated: str) -> None:
    assert kinds(body(f"if x then skip {separated}")) == ["If", "Assign"]


def test_branches_keep_their_order_and_their_heads() -> None:
    (choice,) = body("if (x) then skip;\nelsif y & /* or\n so */ z then fi_: skip else f(); fi")
    assert isinstance(choice, syntax.If)
    assert choice.text == "if (x)"
    assert [branch.text for branch in choice.branches] == ["if (x)", "elsif y & z"]
    assert [said(branch.condition) for branch in choice.branches] == ["x", "(y and z)"]
    assert [branch.position.line for branch in choice.branches] == [2, 3]
    assert kinds(choice.otherwise) == ["Call"]


@pytest.mark.parametrize("decider", ["*", "?", "(*)", "(?)"])
def test_a_decider_is_any_value(decider: str) -> None:
    choice, loop = body(f"if {decider} then fi while {decider} do skip; od")
    assert isinstance(choice, syntax.If)
    assert isinstance(loop, syntax.While)
    assert said(choice.branches[0].condition) == said(loop.condition) == "*"
    assert loop.text == f"while {decider}"


def test_labels_stack_and_a_number_is_a_label_that_opens_no_step() -> None:
    first, second, last = body("a: b:\n c: x := 1; 12: skip; end_: ")
    assert [label.name for label in first.labels] == ["a", "b", "c"]
    assert second.labels == (syntax.Label(Position("a.bp", 3, 13), "12", opens_step=False),)
    assert isinstance(last, syntax.Skip)
    assert [label.name for label in last.labels] == ["end_"]


@pytest.mark.parametrize("empty", ["l: ;", "l:", "if x then l: fi", "while x do l: od"])
def test_a_label_without_a_statement_labels_a_skip(empty: str) -> None:
    statement = body(empty)[0]
    if isinstance(statement, syntax.If):
        statement = statement.branches[0].body[0]
    if isinstance(statement, syntax.While):
        statement = statement.body[0]
    assert isinstance(statement, syntax.Skip)
    assert [label.name for label in statement.labels] == ["l"]


def test_a_statement_knows_where_it_stands_and_what_it_looks_like() -> None:
    (statement,) = body("  l1:\n PC3: x,y := 1, // one\n    z  ;")
    assert statement.position == Position("a.bp", 3, 7)
    assert statement.text == "x,y := 1, z"
    assert statement.labels[0].position == Position("a.bp", 2, 3)
    (statement,) = body("{a//b} /* not c */ := {d/*e}")
    assert statement.text == "{a//b} := {d/*e}"
    (main,) = parsed("\nvoid main()\nbegin\n end").procedures
    assert (main.position, main.end) == (Position("a.bp", 2, 6), Position("a.bp", 4, 2))


def test_a_declaration_anywhere_belongs_to_the_procedure() -> None:
    (main,) = parsed(
        "void main() begin decl a := 1; x := 1; decl b; if x then decl c; fi decl d; l: decl e; end"
    ).procedures
    assert [d.name for d in main.locals] == ["a", "b", "c", "d", "e"]
    assert said(main.locals[0].initial) == "1"
    assert kinds(main.body) == ["Assign", "If", "Skip"]


@pytest.mark.parametrize("before", ["skip;", "l:"])
def test_a_value_declared_after_the_first_statement_is_assigned_there(before: str) -> None:
    (main,) = parsed(f"void main() begin {before} decl a, b := 0, c := *; end").procedures
    assert [(d.name, d.initial) for d in main.locals] == [("a", None), ("b", None), ("c", None)]
    assign = main.body[-1]
    assert isinstance(assign, syntax.Assign)
    assert [t.name for t in assign.targets if isinstance(t, syntax.Name)] == ["b", "c"]
    assert list(map(said, assign.values)) == ["0", "*"]
    assert [label.name for label in assign.labels] == (["l"] if before == "l:" else [])


def test_declarations_of_one_procedure_do_not_leak_into_the_next() -> None:
    f, g = parsed("void f() begin skip; decl a; end void g() begin skip; end").procedures
    assert ([d.name for d in f.locals], g.locals) == (["a"], ())


@pytest.mark.parametrize(
    ("expression", "meaning"),
    [
        ("a | b & c", "(a or (b and c))"),
        ("a || b && c || d", "((a or (b and c)) or d)"),
        ("a ^ b & c", "(a xor (b and c))"),
        ("a => b | c", "(a implies (b or c))"),
        ("a & b => c = d", "((a and b) implies (c = d))"),
        ("a = b != c", "((a = b) != c)"),
        ("a == b", "(a = b)"),
        ("!a = ~b", "(not a = not b)"),
        ("!!(a | b)", "not not (a or b)"),
        ("(a = b) & c", "((a = b) and c)"),
        ("a ^ b = c", "(a xor (b = c))"),
        ("a ? b | c : d", "(a ? (b or c) : d)"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("? ? * : 0", "(* ? * : 0)"),
        ("schoose [a & b, schoose[T,F]]", "schoose[(a and b), schoose[True, False]]"),
        ("((i7^j7)^0)", "((i7 xor j7) xor 0)"),
    ],
)
def test_operators_bind_as_in_every_dialect(expression: str, meaning: str) -> None:
    assert value(expression) == meaning


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("a & b = c", 12),
        ("a = b & c", 12),
        ("a | b ^ c", 12),
        ("a ^ b | c", 12),
        ("a != b | c", 13),
        ("a => b => c", 13),
        ("a = b => c", 12),
        ("a ^ b = c => d", 16),
        ("a => b & c = d", 17),
    ],
)
def test_a_chain_that_the_dialects_group_differently_is_refused(
    expression: str, column: int
) -> None:
    with pytest.raises(InputError, match="expected parentheses to group") as trouble:
        body(f"x := {expression};")
    assert (trouble.value.line, trouble.value.column) == (2, column)


def test_the_operators_of_a_chain_keep_their_places() -> None:
    (assign,) = body("x := a & b & c;")
    assert isinstance(assign, syntax.Assign)
    outer = assign.values[0]
    assert isinstance(outer, syntax.Binary)
    assert (outer.position.column, outer.left.position.column) == (12, 8)


@pytest.mark.parametrize("operator", ["&", "|", "^", "="])
def test_a_long_chain_is_no_deep_tree(operator: str) -> None:
    (assign,) = body("x := " + f" {operator} ".join(f"x{i}" for i in range(3000)) + ";")
    assert isinstance(assign, syntax.Assign)
    assert depth(assign.values[0]) == 12
    names = said(assign.values[0]).replace("(", "").replace(")", "").split()[::2]
    assert names == [f"x{i}" for i in range(3000)]


def test_deep_nesting_is_parsed_or_refused_by_name() -> None:
    assert value("(" * 90 + "a" + ")" * 90) == "a"
    with pytest.raises(InputError, match="at most 100 levels of nesting"):
        value("(" * 5000 + "a" + ")" * 5000)
    with pytest.raises(InputError, match="at most 100 levels of nesting"):
        body("if x then " * 3000 + "skip;" + " fi" * 3000)


def test_a_long_program_takes_no_more_work_for_each_line() -> None:
    block = "if (!a_0 & (b_1 = c_2)) then\n a_0, b_1 := T, schoose[F, F];\nelse assume(F); fi\n"

    def read(size: int) -> None:
        parsed("void main() begin\n" + block * size + "end")

    assert grows_with_its_size(read, 100)
    read(1000)


def test_a_label_that_says_async_makes_a_call_a_new_thread() -> None:
    tree = parsed(
        "void f(x) begin end void main() begin a: ASYNC_2: b: f(T); if * then ASYNC_1: f(F);"
        " else ASYNC_3: f(T); fi end"
    )
    create, choice = tree.procedures[1].body
    assert isinstance(create, syntax.ThreadCreate)
    assert (create.procedure.name, list(map(said, create.arguments))) == ("f", ["True"])
    assert [label.name for label in create.labels] == ["a", "ASYNC_2", "b"]
    assert isinstance(choice, syntax.If)
    assert kinds(choice.branches[0].body) == ["ThreadCreate"]
    assert kinds(choice.otherwise) == ["ThreadCreate"]


def test_slic_error_is_an_error_and_main_runs_first() -> None:
    dialect = parsed("decl atomic; void main() begin SLIC_ERROR: skip end").dialect
    assert dialect == replace(
        syntax.Dialect(),
        error_labels=("SLIC_ERROR",),
        falls_off_with_any_result=True,
        repeated_labels=True,
    )


GETAFIX = """
decl atomic, a;
void init() begin a := F; endinit: skip; end
void thread0() begin f(); assume(T); end
void f() begin return; end
void ThReadX() begin skip; end
void main() begin skip; end
"""


def test_in_getafix_init_runs_first_and_starts_main_and_every_thread() -> None:
    tree = parsed(GETAFIX)
    assert (tree.dialect.main, tree.dialect.lock) == ("init", "atomic")
    assign, skip, *creations = tree.procedures[0].body
    assert kinds((assign, skip)) == ["Assign", "Skip"]
    created = [c.procedure.name for c in creations if isinstance(c, syntax.ThreadCreate)]
    assert created == ["thread0", "ThReadX", "main"]
    assert {c.position for c in creations} == {tree.procedures[0].end}


def test_in_getafix_the_lock_is_open_at_first() -> None:
    lock, other = parsed(GETAFIX).globals
    assert (said(lock.initial), other.initial) == ("0", None)


def test_in_getafix_a_return_from_init_starts_the_threads() -> None:
    first = parsed(GETAFIX.replace("a := F;", "if * then l: return; fi a := F;")).procedures[0]
    choice = first.body[0]
    assert isinstance(choice, syntax.If)
    (goto,) = choice.branches[0].body
    assert isinstance(goto, syntax.Goto)
    assert [label.name for label in goto.labels] == ["l"]
    (target,) = goto.targets
    (label,) = first.body[3].labels
    assert target.name == label.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("void thread0() begin f();", "void thread0() begin init();"),
        ("void thread0() begin f();", "void thread0() begin start_thread f();"),
        ("void thread0() begin f();", "void thread0() begin start_thread goto l; l:"),
        ("void thread0() begin f();", "void thread0() begin if * then ASYNC_1: f(); fi"),
        ("void thread0() begin f();", "void thread0() begin if * then else init(); fi"),
        ("\ndecl atomic, a;", "void g() begin end decl atomic, a;"),
    ],
)
def test_without_the_signs_of_getafix_atomic_and_init_are_ordinary_names(
    old: str, new: str
) -> None:
    dialect = parsed(GETAFIX.replace(old, new)).dialect
    assert (dialect.main, dialect.lock) == ("main", None)


def test_an_unused_super_atomic_is_an_ordinary_variable() -> None:
    tree = parsed(GETAFIX.replace("decl atomic", "decl super_atomic, atomic"))
    assert tree.dialect.lock == "atomic"
    assert [d.name for d in tree.globals if d.initial is None] == ["super_atomic", "a"]


def test_importing_the_languages_loads_no_reader() -> None:
    reader = "tepui.languages.boolean.reader"
    program = f"import sys, tepui.languages.boolean; print({reader!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
