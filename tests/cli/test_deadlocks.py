"""What the command line says about deadlocks: text, JSON, reports and SARIF."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from support.cli import call
from support.places import EXAMPLES
from support.samples.deadlocking_programs import JOINS, PHILOSOPHERS, TRANSFER
from support.schemas import schema


@pytest.fixture
def transfer(tmp_path: Path) -> str:
    (tmp_path / "transfer.bp").write_text(TRANSFER, encoding="utf-8")
    return "transfer.bp"


def test_the_text_ends_with_the_cycle(tmp_path: Path, transfer: str) -> None:
    ended = call("verify", transfer, "--property", "deadlock", cwd=tmp_path)
    assert ended.code == 1
    assert ended.out.endswith(
        "   cycle  transfer(0) waits for transfer(1), which waits for transfer(0)\n"
    )
    assert "            but     locked[1] = 1, which = 1\n" in ended.out


def test_the_answers_to_all_questions_explain_it_too(tmp_path: Path, transfer: str) -> None:
    ended = call("verify", transfer, "--property", "deadlock", "--all", "--traces", cwd=tmp_path)
    assert "cycle  transfer(0) waits for transfer(1), which waits for transfer(0)" in ended.out


def test_the_json_has_the_same(tmp_path: Path, transfer: str) -> None:
    found = call("verify", transfer, "--property", "deadlock", "--json", cwd=tmp_path).json
    jsonschema.validate(found, schema("result"))
    told = found["deadlock"]
    assert told["cycle"] == ["transfer(0)", "transfer(1)"]
    first, _ = told["threads"]
    assert (first["thread"], first["state"], first["complete"]) == ("transfer(0)", "stuck", True)
    (need,) = first["needs"]
    assert (need["kind"], need["text"], need["hopeless"]) == ("condition", "!locked[which]", False)
    assert need["values"] == [
        {"name": "locked[1]", "value": "1", "inside": False},
        {"name": "which", "value": "1", "inside": False},
    ]
    (written,) = need["written"]
    steps = [step for context in found["trace"]["contexts"] for step in context["steps"]]
    assert steps[written["step"] - 1]["changes"] == {"locked[1]": {"from": "0", "to": "1"}}
    assert found["trace"]["contexts"][written["context"] - 1]["thread"] == written["thread"]
    assert need["chances"][0]["place"]["line"] == 14
    assert first["stack"][0] == {"procedure": "acquire", "line": 4, "locals": {"which": "1"}}


@pytest.mark.parametrize("text", [JOINS, PHILOSOPHERS])
def test_the_json_of_other_programs_follows_the_schema(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.bp").write_text(text, encoding="utf-8")
    found = call("verify", "p.bp", "--property", "deadlock", "--json", cwd=tmp_path).json
    jsonschema.validate(found, schema("result"))
    assert found["deadlock"]["cycle"]


def test_a_system_explains_its_deadlock() -> None:
    found = call("verify", str(EXAMPLES / "deadlock.cpds"), "--json").json
    jsonschema.validate(found, schema("result"))
    assert found["deadlock"]["cycle"] == ["left", "right"]
    text = call("verify", str(EXAMPLES / "deadlock.cpds")).out
    assert text.endswith("   cycle  left waits for right, which waits for left\n")


def test_other_answers_have_no_deadlock() -> None:
    for name in ("deadlock-repaired.cpds", "bluetooth-buggy.cpds"):
        found = call("verify", str(EXAMPLES / name), "--json").json
        jsonschema.validate(found, schema("result"))
        assert found["deadlock"] is None


def test_a_report_has_links_to_statements_and_steps(tmp_path: Path, transfer: str) -> None:
    call("verify", transfer, "--property", "deadlock", "--report", "r.html", cwd=tmp_path)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="deadlock-1"') :].partition("</section>")[0]
    assert "transfer(0) waits for transfer(1), which waits for transfer(0)." in section
    links = re.findall(r'href="#([^"]+)"', section)
    assert any(link.startswith("trace-1-step-") for link in links)
    assert any(link.startswith("source-1-") for link in links)
    for link in links:
        assert f'id="{link}"' in page, link
    step = re.search(r'href="#(trace-1-step-\d+)"', section)
    assert step is not None
    assert "locked[1]: 0 → 1" in page[page.index(f'id="{step[1]}"') :].partition("</li>")[0]


def test_sarif_says_who_waits_for_whom(tmp_path: Path, transfer: str) -> None:
    call("verify", transfer, "--property", "deadlock", "--sarif", "r.sarif", cwd=tmp_path)
    log = json.loads((tmp_path / "r.sarif").read_text(encoding="utf-8"))
    (result,) = log["runs"][0]["results"]
    assert result["message"]["text"].endswith(
        " transfer(0) waits for transfer(1), which waits for transfer(0)."
    )
