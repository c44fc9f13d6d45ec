"""``worldmodel rules draw``: pictures and graph files of both graphs."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest

from tests.worldmodel.cli.conftest import Run
from worldmodel import shipped_rules

DOORS = """domain doors
type door
predicate open(door)
predicate locked(door)
relation painted(type) { door 3 }
action unlock(?d: door)
  rule unlock_1  [9 for, 1 against]
    when locked(?d)
    then not locked(?d)
action enter(?d: door)
  rule enter_1
    when open(?d), not locked(?d)
action push(?d: door)
  rule push_1  [5 for, 0 against]
    when not locked(?d), not open(?d)
    then open(?d)
"""


@pytest.fixture
def doors(tmp_path: Path) -> Path:
    path = tmp_path / "doors.rules"
    path.write_text(DOORS)
    return path


def words(svg: Path) -> set[str]:
    """The texts in a picture: matplotlib draws letters as shapes, and says in comments what they spell."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    tree = ElementTree.parse(svg, parser)
    return {(node.text or "").strip() for node in tree.iter() if node.tag is ElementTree.Comment}


def test_draws_the_rule_graph(run: Run, doors: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "doors.svg"
    result = run("rules", "draw", doors, "-o", out)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}: rules graph, 3 nodes, 5 links\n"
    assert {"unlock_1", "enter_1", "push_1", "9:1", "not locked(door)", "open(door)"} <= words(out)
    assert {"doors: which rule enables which", "disables: the rule needs the opposite"} <= words(out)


def test_the_graph_file_says_which_rule_enables_which(run: Run, doors: Path, tmp_path: Path) -> None:
    out = tmp_path / "doors.graphml"
    said = json.loads(run("rules", "draw", doors, "-o", out, "--json").stdout)
    assert (said["nodes"], said["links"]) == (3, 5)
    graph = nx.read_graphml(out)
    assert {(a, b, data["kind"], data["literal"]) for a, b, data in graph.edges(data=True)} == {
        ("unlock.unlock_1", "unlock.unlock_1", "disables", "locked(?d)"),
        ("unlock.unlock_1", "enter.enter_1", "enables", "not locked(?d)"),
        ("unlock.unlock_1", "push.push_1", "enables", "not locked(?d)"),
        ("push.push_1", "push.push_1", "disables", "not open(?d)"),
        ("push.push_1", "enter.enter_1", "enables", "open(?d)"),
    }
    node = graph.nodes["unlock.unlock_1"]
    assert (node["action"], node["support"], node["against"]) == ("unlock", 9, 1)
    assert "then    not locked(?d)" in node["text"]


def test_draws_what_ships_and_what_is_known_beside_it(run: Run, tmp_path: Path) -> None:
    for what in ("rules", "knowledge"):
        for suffix in ("svg", "graphml"):
            out = tmp_path / f"{what}.{suffix}"
            result = run("rules", "draw", "--what", what, "-o", out)
            assert result.exit_code == 0, result.output
    assert {"fridge", "in, at first sight", "receptacle"} <= words(tmp_path / "knowledge.svg")
    assert nx.read_graphml(tmp_path / "knowledge.graphml").number_of_edges() > 200
    assert {"heat_1", "take_1"} <= words(tmp_path / "rules.svg")


def test_a_big_graph_is_limited_and_says_so(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    run("rules", "draw", "--what", "knowledge", "--links", 5, "-o", out)
    assert any("The surest 5 of " in text and "are left out" in text for text in words(out))
    run("rules", "draw", "--links", 9, "-o", out)
    assert any("links between rules are left out" in text for text in words(out))


def test_relations_are_drawn_without_knowledge(run: Run, doors: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    assert run("rules", "draw", doors, "--what", "knowledge", "-o", out).exit_code == 0
    assert {"door", "painted"} <= words(out)


def test_nothing_known_is_an_error(run: Run, doors: Path, tmp_path: Path) -> None:
    doors.write_text(DOORS.replace("relation painted(type) { door 3 }", ""))
    result = run("rules", "draw", doors, "--what", "knowledge", "-o", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert "no doors.knowledge.json.gz beside it" in result.stderr


def test_rules_without_links_are_drawn(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.rules").write_text('domain "$x^$" action wait rule "wait_$1" says "."')
    assert run("rules", "draw", tmp_path / "x.rules", "-o", tmp_path / "x.svg").exit_code == 0
    assert "Without links: wait_$1." in words(tmp_path / "x.svg")


def test_the_same_bytes_in_every_process(doors: Path, tmp_path: Path) -> None:
    found = set()
    for seed in ("0", "1"):
        for what, out in (("rules", "r.svg"), ("knowledge", "k.graphml")):
            command = [sys.executable, "-m", "worldmodel", "rules", "draw", str(shipped_rules("alfworld"))]
            command += ["--what", what, "-o", str(tmp_path / out)]
            subprocess.run(
                command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
            )
        found.add(((tmp_path / "r.svg").read_bytes(), (tmp_path / "k.graphml").read_bytes()))
    assert len(found) == 1
    assert b"<dc:date>" not in (tmp_path / "r.svg").read_bytes()


def test_without_matplotlib_it_says_what_to_install(
    run: Run, doors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **more: object) -> object:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    result = run("rules", "draw", doors, "-o", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert "pip install 'worldmodel[report]'" in result.stderr
    assert not (tmp_path / "x.svg").exists()
    assert run("rules", "draw", doors, "-o", tmp_path / "x.graphml").exit_code == 0


def test_an_unknown_format(run: Run, doors: Path, tmp_path: Path) -> None:
    result = run("rules", "draw", doors, "-o", tmp_path / "x.gif")
    assert result.exit_code == 2
    assert ".svg or .graphml" in result.stderr


def test_odd_names_reach_the_graph_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(
        'domain d predicate "p\\u0001<&>" action "a]]>" rule "\\u202er\\ud800" then "p\\u0001<&>"'
    )
    assert run("rules", "draw", path, "-o", tmp_path / "x.graphml").exit_code == 0
    (node,) = nx.read_graphml(tmp_path / "x.graphml")
    assert node == "a]]>.�r�"
    assert run("rules", "draw", path, "-o", tmp_path / "x.svg").exit_code == 0


def test_too_many_rules_are_an_error(run: Run, tmp_path: Path) -> None:
    rules = " ".join(f"rule r{i} when p, q then p, not q" for i in range(500))
    (tmp_path / "x.rules").write_text(f"domain d predicate p predicate q action a {rules} action b {rules}")
    result = run("rules", "draw", tmp_path / "x.rules", "-o", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert "expected fewer rules" in result.stderr
