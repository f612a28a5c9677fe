"""What the site has that Sphinx does not: our languages in colour, and links out of `docs/`.

- `tepui` colours what people type and see: commands, remarks, verdicts. Indented blocks are that.
- `bp` and `cpds` colour programs and systems.
- Pages link to files of the repository as they do on a code host. Those that are pages of the site
  as well (PAGES) lead there; all other links lead to the file.
- Docstrings are plain text with names in backticks; bars in them are bars.
- Pictures drawn as SVG become part of the page, so that they follow its light or dark colours.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, Text
from sphinx.transforms.post_transforms import SphinxPostTransform

from tepui.report.pictures.svg import scheme

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGES = {
    "../ARCHITECTURE.md": "architecture.md",
    "../CHANGELOG.md": "changelog.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../examples/README.md": "examples.md",
    "../README.md": "index.md",
}
"""Files of the repository outside this folder that are pages of the site, by their links."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx what is here."""
    app.add_lexer("tepui", TranscriptLexer)
    app.add_lexer("bp", ProgramLexer)
    app.add_lexer("cpds", SystemLexer)
    app.add_post_transform(ColouredTranscripts)
    app.add_post_transform(InlinePictures)
    app.connect("html-page-context", _add_colours)
    app.connect("source-read", _lead_to_pages)
    app.connect("include-read", _lead_to_included_pages)
    app.connect("autodoc-process-docstring", _escape)
    app.connect("autodoc-skip-member", _skip_constructors)
    app.connect("sphinx-click-process-options", _escape_help)
    app.connect("sphinx-click-process-description", _escape_help)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class TranscriptLexer(RegexLexer):
    """Commands and what they print."""

    name = "tepui"
    aliases = ("tepui",)
    flags = re.MULTILINE
    tokens = {  # noqa: RUF012 - pygments wants it so
        "root": [
            (r"^(\$ )(.*\n)", bygroups(Generic.Prompt, Generic.Strong)),
            (r"^((?:tepui|make|pip) .*?)( +# .*)?$", bygroups(Generic.Strong, Comment)),
            (r"^(SAFE|COLLAPSED|accepted|ACCEPTED)\b", Generic.Inserted),
            (r"^(UNSAFE|VIOLATION|REJECTED)\b", Generic.Deleted),
            (r"^(UNKNOWN|STOPPED|BOUNDED|PLATEAU)\b", Generic.Heading),
            (r"^(context \d+:.*)$", Generic.Subheading),
            (r"^( *(?:violated|bad) .*)$", Generic.Deleted),
            (r"[^\n]+", Text),
            (r"\n", Text),
        ]
    }


class ProgramLexer(RegexLexer):
    """Concurrent Boolean programs, in braces and with begin and end."""

    name = "bp"
    aliases = ("bp",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"//[^\n]*|/\*[\s\S]*?\*/", Comment),
            (
                r"\b(?:decl|void|bool|int|enum|thread|if|then|elsif|else|fi|while|do|od|return|goto"
                r"|assert|assume|wait|atomic|async|join|thread_create|skip|begin|end|constrain"
                r"|saturate|block|start_thread|end_thread|atomic_begin|atomic_end)\b",
                Keyword,
            ),
            (r"\b(?:T|F|true|false)\b", Keyword.Constant),
            (r"\b\d+\b", Number),
            (r"[A-Za-z_$][\w$]*(?=:(?!=))", Name.Label),
            (r"[A-Za-z_$][\w$]*(?= ?\()", Name.Function),
            (r"[A-Za-z_$][\w$]*", Name),
            (r"[-+*/:=!<>&|^~?'.,;]+", Operator),
            (r"\s+|.", Text),
        ]
    }


class SystemLexer(RegexLexer):
    """Concurrent pushdown systems."""

    name = "cpds"
    aliases = ("cpds",)
    flags = re.MULTILINE
    tokens = {  # noqa: RUF012
        "root": [
            (r"#.*$", Comment),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"^[ \t]*(?:shared|initial|thread|stack|bad)\b", Keyword),
            (r"->|[|{},*]", Operator),
            (r"[^\s|{},*]+", Name),
            (r"[ \t]+|\n", Text),
        ]
    }


class ColouredTranscripts(SphinxPostTransform):
    """Takes blocks without a language for what people type and see."""

    default_priority = 100

    def run(self, **_: Any) -> None:
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "none":
                block["language"] = "tepui"


class InlinePictures(SphinxPostTransform):
    """Puts SVG pictures into the page itself."""

    default_priority = 100
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].endswith(".svg"):
                picture = Path(self.env.srcdir, image["uri"]).read_text(encoding="utf-8")
                image.replace_self(nodes.raw("", picture, format="html"))


def _add_colours(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _: Any) -> None:
    """Transcripts have the colours of reports, by the theme that the reader chose."""
    style = f"<style>{scheme('.highlight')}</style>"
    context["metatags"] = context.get("metatags", "") + style


def _lead_to_pages(_app: Sphinx, _page: str, source: list[str]) -> None:
    source[0] = _with_pages(source[0])


def _lead_to_included_pages(app: Sphinx, path: Path, _page: str, source: list[str]) -> None:
    """A file that is included has its links from where it is; and examples lead to their files."""
    folder = (Path(app.srcdir) / path).resolve().parent
    text = re.sub(r"^\| `(\S+\.\w+)` ", r"| [`\1`](\1) ", source[0], flags=re.MULTILINE)
    text = re.sub(
        r"\]\((?!docs/|https:|#)([^)#\s]+)",
        lambda link: f"]({os.path.relpath(folder / link[1], app.srcdir)}",
        text,
    )
    source[0] = _with_pages(text)


def _escape(_app: Sphinx, *given: Any) -> None:
    """Docstrings write |R_k| for a number, which reStructuredText takes for something else."""
    lines: list[str] = given[-1]
    lines[:] = [
        "".join(
            part if part.startswith("`") else part.replace("|", r"\|")
            for part in re.split(r"(`[^`]*`)", line)
        )
        for line in lines
    ]


def _skip_constructors(_app: Sphinx, *given: Any) -> bool | None:
    """The fields of a class say all that its constructor could say."""
    return True if given[1] == "__init__" else None


def _escape_help(_app: Sphinx, _command: Any, lines: list[str]) -> None:
    """Stars, bars and addresses in the help of a command mean themselves."""
    lines[:] = [
        line
        if line.lstrip().startswith((".. ", ":"))
        else re.sub(r"([*|]|(?<=\w):(?=\S))", r"\\\1", line)
        for line in lines
    ]


def _with_pages(text: str) -> str:
    """A page whose links lead to pages of the site, where there are some.

    A link that shows the name of a file shows the title of the page instead.
    """
    text = re.sub(r"\]\(([^)#\s]+)", lambda link: f"]({PAGES.get(link[1], link[1])}", text)
    return re.sub(r"\[[\w/.-]+\.md\](?=\([\w/.-]+\.md[)#])", "[]", text)
