"""The documentation site: it builds without a warning, and every link leads somewhere.

It is built once, with all warnings as errors.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

import click
import pytest

import tepui
from support.browser import listened
from support.places import ROOT
from tepui.cli.app import app

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as OpenedPage

DOCS = ROOT / "docs"


@dataclass(slots=True)
class Page(HTMLParser):
    """What of a page matters here: where it leads, what it loads, and where one can arrive."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given["href"])
        elif "src" in given:
            self.loaded.append(given["src"])

    def handle_data(self, data: str) -> None:
        self.text.append(data)


pytestmark = pytest.mark.xdist_group("site")
"""The site is built once."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, just built."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    built = subprocess.run(
        [*command, "-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site."""
    read = {}
    for path in sorted(site.rglob("*.html")):
        read[path] = Page()
        read[path].feed(path.read_text(encoding="utf-8"))
    return read


def test_every_page_of_the_docs_is_in_the_table_of_contents(site: Path) -> None:
    index = Page()
    index.feed((site / "index.html").read_text(encoding="utf-8"))
    missing = [
        path.name
        for path in DOCS.glob("*.md")
        if path.stem != "index" and f"{path.stem}.html" not in index.links
    ]
    assert missing == []


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            target = urlsplit(link)
            if target.scheme in ("http", "https", "mailto"):
                continue
            assert not target.scheme, (path.name, link)
            file = (path.parent / unquote(target.path)).resolve() if target.path else path
            assert file.is_file(), (path.name, link)
            if target.fragment and file in pages:
                assert unquote(target.fragment) in pages[file].anchors, (path.name, link)
            checked += 1
    assert checked > 1000


def test_a_page_loads_nothing_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for source in page.loaded:
            target = urlsplit(source)
            assert target.scheme + target.netloc == "", (path.name, source)
            assert (path.parent / unquote(target.path)).resolve().is_file(), (path.name, source)
    for style in site.rglob("*.css"):
        urls = re.findall(r"url\(['\"]?([^)'\"]+)|@import", style.read_text(encoding="utf-8"))
        assert [url for url in urls if not url.startswith("data:")] == [], style.name


LOOKS: dict[str, tuple[dict[str, int], Literal["light", "dark"]]] = {
    "light": ({"width": 1280, "height": 900}, "light"),
    "dark": ({"width": 1280, "height": 900}, "dark"),
    "phone": ({"width": 390, "height": 844}, "light"),
}


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_is_silent_and_fits_the_screen(look: str, site: Path, browser: Browser) -> None:
    (size, scheme), wide = LOOKS[look], []
    opened = browser.new_page(
        viewport={"width": size["width"], "height": size["height"]}, color_scheme=scheme
    )
    heard = listened(opened)
    for path in sorted(site.glob("*.html")):
        opened.goto(path.as_uri())
        width = opened.evaluate("document.documentElement.scrollWidth")
        if width > size["width"]:
            wide.append((path.name, width))
        broken = "[...document.images].filter(each => !each.naturalWidth).map(each => each.src)"
        heard += opened.evaluate(broken)
    opened.close()
    assert (heard, wide) == ([], [])


def test_the_front_page_begins_with_a_picture(site: Path, page: OpenedPage) -> None:
    page.goto((site / "index.html").as_uri())
    box = page.locator("article img").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] / 2 < 900
    assert box["width"] > 500


def test_every_public_name_is_in_the_reference(site: Path, pages: dict[Path, Page]) -> None:
    anchors = pages[site / "api.html"].anchors
    public = [name for name in dir(tepui) if not name.startswith("_")]
    assert [name for name in public if f"tepui.{name}" not in anchors] == []


def test_every_command_and_option_is_in_the_reference(site: Path, pages: dict[Path, Page]) -> None:
    anchors = pages[site / "cli.html"].anchors
    checked = 0
    for name, command in _commands():
        assert f"tepui-{name}" in anchors
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--"):
                    assert f"cmdoption-tepui-{name}-{option.strip('-')}" in anchors, option
                    checked += 1
    assert checked > 60


def test_every_field_of_the_schema_is_in_the_reference() -> None:
    schema = json.loads((DOCS / "result.schema.json").read_text(encoding="utf-8"))
    rows = set(re.findall(r"^\| `(\w+)` \| (.*) \|$", _text("json.md"), re.MULTILINE))
    for name, definition in schema["$defs"].items():
        for each, described in definition.get("properties", {}).items():
            text = described["description"].replace("|", r"\|")
            assert any(row[0] == each and row[1].startswith(text) for row in rows), (name, each)


@pytest.mark.parametrize(
    "name",
    [
        *("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "examples/README.md"),
        *(
            f"docs/{page}.md"
            for page in ("evidence", "fork-join", "papers", "program", "soundness")
        ),
    ],
)
def test_files_that_a_page_names_exist(name: str) -> None:
    text = re.sub(r"^```.*?^```", "", _text(f"../{name}"), flags=re.DOTALL | re.MULTILINE)
    named = re.findall(r"`([\w/-]+\.(?:py|rs|bp|cpds)|[\w-]+/[\w/-]+/)`", text)
    files = [f"/{path.relative_to(ROOT)}" for path in _sources()]
    for each in named:
        if each.endswith("/"):
            assert any(f"/{each}" in file for file in files), each
        else:
            assert any(file.endswith(f"/{each}") for file in files), each


def test_kernels_that_the_page_on_papers_names_exist() -> None:
    for kernel in re.findall(r"kernel `([\w/]+)`", _text("papers.md")):
        source = ROOT / "crates" / "tepui-core" / "src" / kernel
        assert source.is_dir() or source.with_suffix(".rs").is_file(), kernel


def _sources() -> list[Path]:
    folders = ("python", "crates", "tests", "docs", "examples", "benchmarks")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    return [path for path in found if "_build" not in path.parts]


def test_the_pictures_are_up_to_date() -> None:
    drawn = runpy.run_path(str(DOCS / "pictures" / "draw.py"))
    for name, picture in drawn["pictures"]():
        assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == picture, name


def test_every_picture_is_shown_and_described() -> None:
    shown = set()
    for path in DOCS.glob("*.md"):
        for text, picture in re.findall(r"!\[(.*?)\]\((.*?)\)", path.read_text(encoding="utf-8")):
            assert len(text) > 20, picture
            shown.add(DOCS / picture)
    pictures = {path for path in (DOCS / "pictures").iterdir() if path.suffix in (".svg", ".png")}
    assert pictures == shown


def test_the_architecture_is_short() -> None:
    assert len(_text("../ARCHITECTURE.md").splitlines()) <= 175


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_links_of_the_repository_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", (ROOT / name).read_text(encoding="utf-8")):
        path, _, fragment = link.partition("#")
        if path.startswith("https://"):
            continue
        file = ROOT / path if path else ROOT / name
        assert file.exists(), link
        assert not fragment or fragment in _headings(file), link


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        yield name, command


def _headings(path: Path) -> set[str]:
    """The anchors that a code host gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def _text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")
