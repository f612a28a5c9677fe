"""Graphs as pictures and as Graphviz text: nothing overlaps, and names stay text."""

from __future__ import annotations

import re
from itertools import combinations
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tepui.errors import UsageError
from tepui.report.pictures.graph import (
    MOST_EDGES,
    MOST_NODES,
    Edge,
    Graph,
    Node,
    graph_html,
    graph_svg,
)
from tepui.report.pictures.graphviz import graph_dot
from tepui.report.pictures.order import crossings, ordered
from tepui.report.pictures.placement import Layout, Link, Size, layout_of

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def graph(*edges: str, **kinds: str) -> Graph:
    """A graph from texts such as `a b` and `a b label`."""
    parts = [edge.split(maxsplit=2) for edge in edges]
    keys = dict.fromkeys([*(key for part in parts for key in part[:2]), *kinds])
    nodes = tuple(Node(key, key, kinds.get(key, "")) for key in keys)
    return Graph("g", nodes, tuple(Edge(*part) for part in parts))


def drawn(given: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(graph_svg(given))


def boxes(root: ElementTree.Element) -> dict[str, Box]:
    """Left, top, right and bottom of each node."""
    found = {}
    for node in root.iter(f"{SVG}g"):
        key = node.get("data-key")
        if key is not None:
            found[key] = corners(node.find(f"{SVG}rect"))
    return found


def corners(element: ElementTree.Element | None) -> Box:
    assert element is not None
    x, y, width, height = (float(element.get(key, 0)) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def test_an_edge_leads_down_from_its_source_to_its_target() -> None:
    found = boxes(drawn(graph("a b", "b c", "a c")))
    assert found["a"][3] < found["b"][1] < found["b"][3] < found["c"][1]


def test_an_edge_that_closes_a_cycle_points_up() -> None:
    root = drawn(graph("a b", "b a back"))
    found = boxes(root)
    heads = [head.get("points", "").split() for head in root.iter(f"{SVG}polygon")]
    tips = [float(points[1]) for points in heads]
    assert sorted(tips) == pytest.approx([found["a"][3], found["b"][1]], abs=0.2)


def test_the_other_direction_leads_right() -> None:
    given = graph("a b", "b c")
    found = boxes(drawn(Graph("g", given.nodes, given.edges, "right")))
    assert found["a"][2] < found["b"][0] < found["b"][2] < found["c"][0]


def test_a_straight_chain_is_straight() -> None:
    found = boxes(drawn(graph("a b", "b c", "c d")))
    middles = {(box[0] + box[2]) / 2 for box in found.values()}
    assert max(middles) - min(middles) < 0.2


def test_what_follows_in_a_branch_is_in_line_with_it() -> None:
    edges = [("a", "b"), ("a", "c"), ("c", "d"), ("d", "f"), ("b", "e"), ("f", "e")]
    nodes = tuple(
        Node(key, key * width) for key, width in zip("abcdef", (9, 20, 4, 30, 8, 6), strict=True)
    )
    found = boxes(drawn(Graph("g", nodes, tuple(Edge(*ends) for ends in edges))))
    middles = [(found[key][0] + found[key][2]) / 2 for key in "cdf"]
    assert max(middles) - min(middles) < 0.2


def test_parallel_edges_are_one_arrow_with_all_labels() -> None:
    root = drawn(graph("a b x", "a b y", "a b x", "a b some much longer label"))
    assert len(list(root.iter(f"{SVG}polygon"))) == 1
    assert texts(root)[:2] == ["x, y,", "some much longer label"]


def test_of_many_labels_the_rest_is_counted_and_in_the_title() -> None:
    root = drawn(graph(*(f"a b symbol{number}" for number in range(100))))
    assert "… 85 more" in texts(root)
    assert any("symbol99" in (title.text or "") for title in root.iter(f"{SVG}title"))
    assert "symbol99" in graph_dot(graph(*(f"a b symbol{number}" for number in range(100))))


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_loop_has_its_label_beside_everything_else(direction: str) -> None:
    given = graph("a a a-rather-long-loop", "a b", "c b", "a d")
    root = drawn(Graph("g", given.nodes, given.edges, direction))  # type: ignore[arg-type]
    (label,) = (each for each in root.iter(f"{SVG}text") if each.text == "a-rather-long-loop")
    x, y, width = float(label.get("x", 0)), float(label.get("y", 0)), 18 * 7.2
    left = x if label.get("text-anchor") == "start" else x - width / 2
    box = (left, y - 10, left + width, y + 3)
    assert not any(overlap(box, other) for other in boxes(root).values())
    _, _, whole_width, whole_height = map(float, root.get("viewBox", "").split())
    assert left >= 0
    assert box[2] <= whole_width
    assert 0 <= box[1] < box[3] <= whole_height


def test_accepting_nodes_are_doubled_and_initial_ones_have_an_arrow_from_nowhere() -> None:
    root = drawn(graph("a b", a="initial", b="round accepting"))
    kinds = {node.get("data-key"): node.get("class") for node in root.iter(f"{SVG}g")}
    assert kinds["to a"] == "node point"
    assert len(list(root.iter(f"{SVG}polygon"))) == 2
    inner = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "inner"]
    assert len(inner) == 1


def test_parts_that_are_not_connected_are_side_by_side() -> None:
    found = boxes(drawn(graph("a b", "c d", e="")))
    assert not any(overlap(one, other) for one, other in combinations(found.values(), 2))
    assert found["a"][1] == found["c"][1] == found["e"][1]


def test_groups_have_a_frame_around_them_unless_an_edge_leaves_one() -> None:
    nodes = (Node("a", "a", group="G"), Node("b", "b", group="G"), Node("c", "c", group="H"))
    root = drawn(Graph("g", nodes, (Edge("a", "b"),)))
    frames = [corners(each) for each in root.iter(f"{SVG}rect") if each.get("class") == "frame"]
    found = boxes(root)
    assert [overlap(frames[0], found[key]) for key in "abc"] == [True, True, False]
    assert texts(root)[:2] == ["G", "H"]
    assert not overlap(*frames)
    across = drawn(Graph("g", nodes, (Edge("a", "c"),)))
    assert not any(each.get("class") == "frame" for each in across.iter())
    assert graph_dot(Graph("g", nodes)).count("subgraph cluster_") == 2


def test_names_stay_text_in_both_forms() -> None:
    evil = '</script><b>&"\\'
    given = Graph(
        evil, (Node(evil, evil, "", evil), Node("n", "two\nlines")), (Edge(evil, "n", evil),)
    )
    root = drawn(given)
    assert [each.text for each in root.iter(f"{SVG}text")] == [evil, evil, "two", "lines"]
    assert "<b>" not in graph_svg(given)
    dot = graph_dot(given)
    quoted = '"</script><b>&\\"\\\\"'
    assert f"{quoted} -> n [label={quoted}];" in dot
    assert 'n [label="two\\nlines"];' in dot


def test_words_of_graphviz_are_quoted() -> None:
    assert '"Node" -> b;' in graph_dot(graph("Node b"))


def test_too_many_nodes_are_refused_with_their_number_and_what_to_do() -> None:
    many = Graph("big", tuple(Node(str(number), "x") for number in range(MOST_NODES + 1)))
    with pytest.raises(UsageError, match=r"big has 301 nodes.*Graphviz.*graph_dot"):
        graph_svg(many)
    assert many._repr_html_() is None
    assert repr(many) == "<Graph big: 301 nodes, 0 edges>"
    assert graph_dot(many).count("label=") == MOST_NODES + 1
    assert graph_svg(Graph("g", many.nodes[:MOST_NODES]))


def test_edges_all_over_a_graph_are_refused_as_well() -> None:
    crowded = graph(*(f"{source} {target}" for source in range(40) for target in range(40)))
    with pytest.raises(UsageError, match=r"g has 1,600 edges all over it.*Graphviz"):
        graph_svg(crowded)
    assert crowded._repr_html_() is None
    assert graph_dot(crowded).count(" -> ") == 1600


def test_a_graph_with_far_too_many_edges_is_not_even_made_for_a_notebook() -> None:
    assert graph_html(MOST_EDGES + 1, lambda: pytest.fail("it was made")) is None


def test_long_names_are_cut_and_whole_in_the_title() -> None:
    given = Graph("g", (Node("a", "x" * 999), Node("b", "b")), (Edge("a", "b", "y" * 999),))
    root = drawn(given)
    assert [len(text) for text in texts(root)] == [60, 60, 1]
    told = {title.text for title in root.iter(f"{SVG}title")}
    assert {"x" * 999, "y" * 999} <= told
    assert "x" * 999 in graph_dot(given)


def test_a_reader_of_the_screen_is_told_nodes_and_edges() -> None:
    root = drawn(graph("a b x", "a b y", "b a", a="initial"))
    assert root.findtext(f"{SVG}desc") == "2 nodes and 2 edges: a to b: x, y; b to a."
    assert drawn(graph(a="")).findtext(f"{SVG}desc") == "1 node."
    many = drawn(graph(*(f"{number} {number + 1}" for number in range(50))))
    assert (many.findtext(f"{SVG}desc") or "").endswith("; 39 to 40; and 10 more.")


def test_no_name_turns_its_direction_around() -> None:
    assert texts(drawn(Graph("g", (Node("a", "ab\u202ecd"),)))) == [r"ab\u202ecd"]


def test_no_node_at_all_is_an_empty_picture() -> None:
    assert boxes(drawn(Graph("nothing", ()))) == {}


def test_the_same_graph_is_always_the_same_picture() -> None:
    given = graph("a b x", "b c", "c a", "a d", "d c y")
    assert graph_svg(given) == graph_svg(given)


# The order within layers.


def test_what_can_be_sorted_out_does_not_cross() -> None:
    below = [[2, 3], [2], [], []]
    assert crossings([[0, 1], [2, 3]], below) == 1
    assert ordered([0, 0, 1, 1], [(0, 2), (0, 3), (1, 2)]) == [[0, 1], [3, 2]]


@given(st.lists(st.integers(0, 10**6), max_size=40), st.randoms())
def test_branches_of_a_tree_do_not_cross(choices: list[int], random: Random) -> None:
    names = list(range(len(choices) + 1))
    random.shuffle(names)
    layer_of = [0] * len(names)
    steps = []
    for place, choice in enumerate(choices, start=1):
        upper, lower = names[choice % place], names[place]
        layer_of[lower] = layer_of[upper] + 1
        steps.append((upper, lower))
    layers = ordered(layer_of, steps)
    below = [[lower for upper, lower in steps if upper == item] for item in range(len(names))]
    assert crossings(layers, below) == 0
    assert sorted(item for items in layers for item in items) == sorted(names)


# Places, for random graphs.

sizes = st.builds(
    lambda half, across: Size(half, half, across, across),
    st.floats(3, 90),
    st.floats(6, 60),
)
labels = st.none() | st.builds(
    lambda half, across: Size(half, half, across), st.floats(3, 60), st.floats(6, 40)
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Size], list[Link]]:
    nodes = draw(st.lists(sizes, min_size=1, max_size=12))
    ends = st.integers(0, len(nodes) - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=24, unique=True))
    links = [Link(*pair, draw(labels)) for pair in pairs if pair[0] != pair[1]]
    return nodes, links


@given(graphs())
@settings(max_examples=60)
def test_nothing_is_drawn_over_a_node_or_a_label(given: tuple[list[Size], list[Link]]) -> None:
    nodes, links = given
    layout = layout_of(nodes, links)
    things = [_box(layout.nodes[place], size) for place, size in enumerate(nodes)]
    things += [
        _box(layout.labels[place], link.label)
        for place, link in enumerate(links)
        if link.label is not None
    ]
    for one, other in combinations(things, 2):
        assert not overlap(_smaller(one), _smaller(other))
    assert all(x1 >= -0.01 and x2 <= layout.width + 0.01 for x1, _, x2, _ in things)
    assert all(y1 >= -0.01 and y2 <= layout.height + 0.01 for _, y1, _, y2 in things)
    _check_routes(nodes, links, layout, things)


def _check_routes(nodes: list[Size], links: list[Link], layout: Layout, things: list[Box]) -> None:
    """An edge begins and ends at its nodes, and crosses nothing but its own label."""
    own_label = len(nodes)
    for place, link in enumerate(links):
        route = layout.routes[place]
        own = {link.source, link.target}
        if link.label is not None:
            own.add(own_label)
            own_label += 1
        for end, node in ((route[0][0], link.source), (route[-1][1], link.target)):
            left, top, right, bottom = things[node]
            assert left <= end[0] <= right
            assert min(abs(end[1] - top), abs(end[1] - bottom)) < 0.01
        for (x, y1), (_, y2) in route:
            piece = (x - 0.01, min(y1, y2), x + 0.01, max(y1, y2))
            crossed = {number for number, box in enumerate(things) if overlap(_smaller(box), piece)}
            assert crossed <= own


def _box(middle: tuple[float, float], size: Size) -> Box:
    x, y = middle
    return x - size.before, y - size.across / 2, x + size.behind, y + size.across / 2


def _smaller(box: Box) -> Box:
    return box[0] + 0.01, box[1] + 0.01, box[2] - 0.01, box[3] - 0.01


def test_coordinates_have_no_more_digits_than_can_be_seen() -> None:
    assert not re.search(
        r'[ "]-?\d+\.\d\d', graph_svg(graph("a b x", "b c", "c a")).split("</style>")[1]
    )
