"""The graphs of programs and systems, in Python and from the command line."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tepui
from support.cli import FIGURE4, call
from support.places import EXAMPLES
from tepui.errors import UsageError
from tepui.model import System
from tepui.program.program import Program
from tepui.report.pictures.graph import Edge, Graph, graph_svg
from tepui.report.pictures.program_graphs import call_graph, control_flow
from tepui.report.pictures.system_graphs import rules_graph

BLUETOOTH1 = str(EXAMPLES / "bluetooth1.bp")


def program(name: str) -> Program:
    found = tepui.load(EXAMPLES / name)
    assert isinstance(found, Program)
    return found


def written(text: str, folder: Path) -> Program:
    file = folder / "p.bp"
    file.write_text(text)
    found = tepui.load(file)
    assert isinstance(found, Program)
    return found


def labels(graph: Graph) -> dict[str, str]:
    return {node.key: node.label for node in graph.nodes}


def arrows(graph: Graph) -> set[tuple[str, str, str]]:
    """The edges between labels."""
    named = labels(graph)
    return {(named[edge.source], named[edge.target], edge.label) for edge in graph.edges}


def test_the_call_graph_has_threads_what_they_run_and_who_calls_whom() -> None:
    graph = call_graph(program("bluetooth3.bp"))
    assert arrows(graph) == {
        ("add", "add()", ""),
        ("stop × 2", "stop()", ""),
        ("add()", "inc()", ""),
        ("add()", "dec()", ""),
        ("inc()", "dec()", ""),
        ("stop()", "dec()", ""),
    }
    assert {node.label for node in graph.nodes if node.kind == "thread"} == {"add", "stop × 2"}


def test_recursion_is_a_loop_and_creation_leads_to_threads() -> None:
    edges = call_graph(program("quicksort.bp")).edges
    assert Edge("sort", "sort", "2 calls") in edges
    assert Edge("main", "thread sorter(0,…)", "creates", "fork") in edges


def test_a_fork_is_drawn_as_one() -> None:
    assert Edge("main", "DoTask", "forks", "fork") in call_graph(program("fork-figure4.bp")).edges


def test_procedures_that_no_thread_runs_are_pale(tmp_path: Path) -> None:
    text = (
        "void f() { skip; }\nvoid g() { f(); }\nvoid w() { v(); }\nvoid v() { skip; }\n"
        "void main() { thread t; t := async w(); join(t); }\n"
    )
    graph = call_graph(written(text, tmp_path))
    assert {node.key for node in graph.nodes if node.kind == "unused"} == {"f", "g"}


def test_control_flow_has_statements_with_their_lines_and_what_a_branch_asks() -> None:
    graph = control_flow(program("bluetooth1.bp"), "dec")
    assert graph.name == "control flow of dec"
    assert arrows(graph) == {
        ("dec()", "29  atomic { … }", ""),
        ("29  atomic { … }", "30  pendingIo := pendingIo - 1", ""),
        ("30  pendingIo := pendingIo - 1", "31  last := (pendingIo = 0)", ""),
        ("31  last := (pendingIo = 0)", "33  if (last)", ""),
        ("33  if (last)", "33  stoppingEvent := 1", "true"),
        ("33  if (last)", "end of dec", "false"),
        ("33  stoppingEvent := 1", "end of dec", ""),
    }
    kinds = {node.label: node.kind for node in graph.nodes}
    assert kinds["30  pendingIo := pendingIo - 1"] == "inside"
    assert kinds["dec()"] == "entry"


def test_an_assertion_the_receipt_of_a_result_and_labels_are_shown() -> None:
    graph = control_flow(program("bluetooth1.bp"), "add")
    kinds = {node.label: node.kind for node in graph.nodes}
    assert kinds["40  assert(!stopped)"] == "check"
    assert "38  back: entered := inc()" in kinds
    assert "critical:\n27  inside := me" in labels(control_flow(program("peterson.bp"))).values()


def test_an_edge_that_is_never_taken_is_left_out_and_so_is_an_end_that_is_never_reached() -> None:
    graph = control_flow(program("fork-figure4.bp"), "main")
    assert "end of main" not in labels(graph).values()
    assert [edge.label for edge in graph.edges if edge.source == "main:0"] == [""]


def test_a_thread_that_starts_elsewhere_shows_where() -> None:
    graph = control_flow(program("peterson.bp"), "process")
    assert {node.label for node in graph.nodes if node.kind == "thread"} == {
        *("process(0)", "process(1)")
    }
    assert ("process(0)", "25  while (1)", "") in arrows(graph)


def test_all_procedures_are_groups_of_one_graph() -> None:
    graph = control_flow(program("bluetooth1.bp"))
    assert {node.group for node in graph.nodes} == {"inc", "dec", "add", "stop"}


def test_long_statements_are_cut_and_whole_in_the_title() -> None:
    (node,) = (
        node for node in control_flow(program("quicksort.bp")).nodes if node.label.startswith("52 ")
    )
    assert len(node.label) == 52
    assert node.label.endswith("…")
    assert node.title.endswith("thread_create(sorter(middle + 1, 3))")


def test_an_unknown_procedure_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="there is no procedure nope; the procedures are inc, dec"):
        control_flow(program("bluetooth1.bp"), "nope")


def test_the_rules_of_a_system_are_drawn_template_by_template() -> None:
    system = tepui.load(FIGURE4)
    assert isinstance(system, System)
    graph = rules_graph(system)
    assert arrows(graph) == {
        ("q0 | 1", "q1 | 2", ""),
        ("q3 | 2", "q0 | 1", ""),
        ("q0 | 4", "q0", ""),
        ("q1 | 4", "q2 | 5", ""),
        ("q2 | 5", "q3 | 4", "push 6"),
    }
    assert {node.label for node in graph.nodes if node.kind == "initial"} == {"q0 | 1", "q0 | 4"}
    assert {node.group for node in graph.nodes} == {"P1", "P2"}


def test_every_example_can_be_drawn() -> None:
    for file in sorted(EXAMPLES.glob("*.bp")):
        found = program(file.name)
        for graph in (call_graph(found), control_flow(found)):
            root = ElementTree.fromstring(graph_svg(graph))
            shown = sum("data-key" in each.attrib for each in root.iter())
            assert shown == len(graph.nodes)


def test_inspect_prints_control_flow_for_graphviz() -> None:
    done = call("inspect", BLUETOOTH1, "--dot")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith('digraph "control flow of bluetooth1" {\n')
    assert done.out.count("subgraph cluster_") == 4
    one = call("inspect", BLUETOOTH1, "--dot", "--procedure", "inc")
    assert re.findall('label="(\\w+)";', one.out) == ["inc"]


def test_inspect_draws_the_call_graph_and_writes_a_file(tmp_path: Path) -> None:
    output = tmp_path / "calls.svg"
    done = call("inspect", BLUETOOTH1, "--calls", "--svg", str(output))
    assert (done.code, done.out) == (0, call("inspect", BLUETOOTH1).out)
    assert done.err == f"the picture was written to {output}\n"
    assert ElementTree.parse(output).getroot().tag.endswith("svg")
    calls = output.read_text()
    assert "threads" in call("inspect", BLUETOOTH1, "--json", "--svg", str(output)).json
    assert output.read_text() != calls


def test_inspect_draws_the_rules_of_a_system(tmp_path: Path) -> None:
    assert call("inspect", FIGURE4, "--dot").out.startswith('digraph "rules of figure4" {')
    both = call("inspect", FIGURE4, "--dot", "--svg", str(tmp_path / "rules.svg"))
    assert both.out.startswith('digraph "rules of figure4" {')
    assert (tmp_path / "rules.svg").read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([BLUETOOTH1, "--json", "--dot"], "--json and --dot exclude each other"),
        ([BLUETOOTH1, "--calls"], "--calls says what is drawn: add --svg FILE or --dot"),
        ([BLUETOOTH1, "--procedure", "inc"], "--procedure says what is drawn"),
        ([BLUETOOTH1, "--dot", "--calls", "--procedure", "inc"], "exclude each other"),
        ([BLUETOOTH1, "--dot", "--procedure", "no"], "there is no procedure no"),
        ([BLUETOOTH1, "--svg", "-"], "--svg -: the picture goes to a file; /dev/stdout prints it"),
        ([BLUETOOTH1, "--svg", BLUETOOTH1], "this is a file that is read"),
        ([FIGURE4, "--dot", "--calls"], "--calls is for programs: figure4 is a system"),
        ([FIGURE4, "--dot", "--procedure", "f"], "--procedure is for programs"),
        (
            [BLUETOOTH1, "--svg", "/nowhere/at/all"],
            "/nowhere/at/all: the picture cannot be written: No such file or directory",
        ),
    ],
)
def test_wrong_use_is_answered_with_what_is_right(arguments: list[str], message: str) -> None:
    done = call("inspect", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
