"""Broken inputs as data: what is wrong with each, where the error must point, and what it must say.

Every case is a folder of files, the file to load in it, and command-line options; options that
name a file do so relative to that folder. Line and column are 0 where the error has no place in a
text. Whoever reads files, from Python or from the command line, must refuse every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BrokenInput:
    name: str
    files: dict[str, str | bytes]
    main: str
    fragment: str
    line: int
    column: int
    options: list[str] = field(default_factory=list)
    source: str | None = None
    """The file or option at fault; the main file if None."""

    def __str__(self) -> str:
        return self.name


def _pds(name: str, text: str | bytes, line: int, column: int, fragment: str) -> BrokenInput:
    """A broken `.pds` file beside a fine `.init`."""
    files = {"a.pds": text, "a.init": "0|1\n"}
    return BrokenInput(f"pds: {name}", files, "a.pds", fragment, line, column)


def _init(name: str, text: str, line: int, column: int, fragment: str) -> BrokenInput:
    """A broken `.init` beside a fine `.pds` of two threads."""
    files: dict[str, str | bytes] = {"a.pds": TWO_THREADS, "a.init": text}
    return BrokenInput(f"init: {name}", files, "a.pds", fragment, line, column, source="a.init")


def _spec(name: str, text: str, line: int, column: int, fragment: str) -> BrokenInput:
    """A broken `.spec` beside a fine `.pds` and `.init`."""
    files: dict[str, str | bytes] = {"a.pds": TWO_THREADS, "a.init": "0|1,3\n", "a.spec": text}
    return BrokenInput(f"spec: {name}", files, "a.pds", fragment, line, column, source="a.spec")


def _option(name: str, options: list[str], column: int, fragment: str) -> BrokenInput:
    """A wrong last option for a fine `.pds` and `.init`."""
    files: dict[str, str | bytes] = {"a.pds": TWO_THREADS, "a.init": "0|1,3\n"}
    return BrokenInput(
        f"option: {name}", files, "a.pds", fragment, 1, column, options, source=options[-2]
    )


def _cpds(name: str, text: str | bytes, line: int, column: int, fragment: str) -> BrokenInput:
    return BrokenInput(f"cpds: {name}", {"a.cpds": text}, "a.cpds", fragment, line, column)


def _cpds_option(name: str, options: list[str], column: int, fragment: str) -> BrokenInput:
    return BrokenInput(
        f"cpds option: {name}",
        {"a.cpds": f"shared q r\n{HEAD}"},
        "a.cpds",
        fragment,
        1,
        column,
        options,
        source=options[-2],
    )


TWO_THREADS = "3\nPDA 0 2\n0 1 -> 1 2 2\n1 2 -> 0 -\nPDA 3 4\n0 3 -> 2 4\n"

HEAD = """\
initial q
thread P {
    stack a
    q | a -> r | b
}
thread R * 2 {
    stack c
}
"""

FILES = [
    BrokenInput("file: missing", {}, "a.pds", "there is no such file", 0, 0),
    BrokenInput("file: missing, unknown suffix", {}, "a.txt", "there is no such file", 0, 0),
    BrokenInput("file: a directory", {"a.pds/b": ""}, "a.pds", "this is a directory", 0, 0),
    BrokenInput("file: a directory, no suffix", {"a/b": ""}, "a", "this is a directory", 0, 0),
    BrokenInput(
        "file: unknown suffix",
        {"a.c": "int"},
        "a.c",
        "suffixes are .bp and .nbp (Boolean program)",
        0,
        0,
    ),
    BrokenInput(
        "file: no suffix",
        {"a": "2"},
        "a",
        "suffixes are .bp and .nbp (Boolean program)",
        0,
        0,
    ),
    BrokenInput(
        "file: no initial state", {"a.pds": TWO_THREADS}, "a.pds", "--init", 0, 0, source=""
    ),
    BrokenInput(
        "file: the sibling is a directory",
        {"a.pds": TWO_THREADS, "a.init/b": ""},
        "a.pds",
        "this is a directory",
        0,
        0,
        source="a.init",
    ),
]

PDS = [
    _pds("empty", "", 0, 0, "the file is empty"),
    _pds("only a byte order mark", b"\xef\xbb\xbf", 0, 0, "the file is empty"),
    _pds("not UTF-8", b"2\nPDA 0 1\n0 1 -> 0 \xff\n", 0, 0, "not UTF-8 text: byte 19 is 0xff"),
    _pds("UTF-16", "2\n".encode("utf-16"), 0, 0, "not UTF-8 text: byte 0 is 0xff"),
    _pds("only comments", "# nothing\n\n# here\n\n", 3, 7, "expected the number of shared states"),
    _pds("no thread", "2\n", 1, 2, "expected 'PDA lo hi', found the end of the file"),
    _pds("starts with a thread", "PDA 0 1\n", 1, 1, "number of shared states, found 'PDA'"),
    _pds("no shared state", "0\nPDA 0 1\n", 1, 1, "at least one shared state, found '0'"),
    _pds("negative count", "-2\nPDA 0 1\n", 1, 1, "the number of shared states, found '-'"),
    _pds("fractional count", "2.5\nPDA 0 1\n", 1, 2, "end of the line after the number"),
    _pds("two counts", "2 3\nPDA 0 1\n", 1, 3, "after the number of shared states, found '3'"),
    _pds("absurd count", "1" * 19 + "\nPDA 0 1\n", 1, 1, "at most 18 digits, found 19"),
    _pds("giant count", "9" * 5000 + "\n", 1, 1, "at most 18 digits, found 5000"),
    _pds("PDA alone", "2\nPDA\n", 2, 4, "the lowest symbol after 'PDA', found the end of the line"),
    _pds("PDA with one number", "2\nPDA 3 # to\n", 2, 6, "expected the highest symbol"),
    _pds("PDA with three numbers", "2\nPDA 0 3 4\n", 2, 9, "after 'PDA lo hi', found '4'"),
    _pds("PDA with a word", "2\nPDA 0 x\n", 2, 7, "the highest symbol after the lowest, found 'x'"),
    _pds("PDA with high below low", "2\nPDA 5 4\n", 2, 7, "at least 5, found '4'"),
    _pds("pda in small letters", "2\npda 0 1\n", 2, 1, "'PDA lo hi' before the first rule"),
    _pds("rule before PDA", "2\n0 1 -> 0 1\nPDA 0 1\n", 2, 1, "'PDA lo hi' before the first rule"),
    _pds("word for a rule", "2\nPDA 0 1\nfoo\n", 3, 1, "a rule or 'PDA lo hi', found 'foo'"),
    _pds("lonely state", "2\nPDA 0 1\n0\n", 3, 2, "a stack symbol or '-', found the end"),
    _pds(
        "left-hand side only", "2\nPDA 0 1\n0 1\n", 3, 4, "expected '->' after the left-hand side"
    ),
    _pds(
        "wrong arrow", "2\nPDA 0 1\n0 1 => 0 1\n", 3, 5, "'->' after the left-hand side, found '=>'"
    ),
    _pds("two on the left", "2\nPDA 0 1\n0 1 1 -> 0 1\n", 3, 5, "'->' after the left-hand side"),
    _pds(
        "no right-hand side", "2\nPDA 0 1\n0 1 ->\n", 3, 7, "a shared state (0 to 1), found the end"
    ),
    _pds("no word", "2\nPDA 0 1\n0 1 -> 0\n", 3, 9, "a stack symbol or '-', found the end"),
    _pds("no word, all known", "2\nPDA 0 1\n0 1 -> 0 1\n0 1 -> 0\n", 4, 9, "a stack symbol or '-'"),
    _pds(
        "source out of range",
        "2\nPDA 0 1\n2 1 -> 0 1\n",
        3,
        1,
        "a shared state (0 to 1), found '2'",
    ),
    _pds("target out of range", "2\r\nPDA 0 1\r\n0\t1\t->\t7 1\r\n", 3, 8, "(0 to 1), found '7'"),
    _pds("negative state", "2\nPDA 0 1\n0 1 -> -1 1\n", 3, 8, "a shared state (0 to 1), found '-'"),
    _pds("negative symbol", "2\nPDA 0 1\n0 1 -> 1 -1\n", 3, 11, "the end of the line after '-'"),
    _pds("signed symbol", "2\nPDA 0 1\n0 +1 -> 1 1\n", 3, 3, "a stack symbol or '-', found '+'"),
    _pds("hexadecimal symbol", "2\nPDA 0 1\n0 0x1 -> 1 1\n", 3, 3, "or '-', found '0x1'"),
    _pds("foreign digit", "2\nPDA 0 1\n0 ١ -> 1 1\n", 3, 3, "a stack symbol or '-', found '١'"),
    _pds(
        "dash amid a word", "2\nPDA 0 1\n0 1 -> 1 1 -\n", 3, 12, "or the end of the line, found '-'"
    ),
    _pds(
        "word after a dash",
        "2\nPDA 0 1\n0 1 -> 1 - 1\n",
        3,
        12,
        "end of the line after '-', found '1'",
    ),
    _pds("absurd symbol", "2\nPDA 0 1\n0 1 -> 1 " + "7" * 30 + "\n", 3, 10, "18 digits, found 30"),
    _pds("two rules on a line", "2\nPDA 0 1\n0 1 -> 1 1 0 1 -> 1 1", 3, 16, "found '->'"),
    _pds("a comma", "2\nPDA 0 1\n0 1 -> 1 1, 1\n", 3, 11, "or the end of the line, found ','"),
    _pds("a quoted name", '2\nPDA 0 1\n0 "1" -> 1 1\n', 3, 3, "a stack symbol or '-', found '1'"),
    _pds("open quotes", '2\nPDA 0 1\n0 " -> 1 1\n', 3, 3, "quotes opened here are not closed"),
    _pds("a zero byte", "2\nPDA 0 1\n0 \0 -> 1 1\n", 3, 3, "found '\\x00'"),
    _pds("a number for a long line", "2\nPDA 0 1\n" + "0 " * 5000, 3, 5, "expected '->'"),
]

INIT = [
    _init("empty", "", 1, 1, "expected an initial state"),
    _init("only comments", "# none\n", 1, 7, "expected an initial state"),
    _init("no bar", "0 1,3\n", 1, 3, "expected '|' after the shared state, found '1'"),
    _init("shared state out of range", "\n3|1,3\n", 2, 1, "a shared state (0 to 2), found '3'"),
    _init("shared state missing", "|1,3\n", 1, 1, "a shared state (0 to 2), found '|'"),
    _init("too few stacks", "0|1\n", 1, 4, "2 entries, one for each thread (T1, T2), found 1"),
    _init(
        "too many stacks", "0|1,3,3\n", 1, 7, "2 entries, one for each thread (T1, T2), found more"
    ),
    _init("empty entry", "0|1,,3\n", 1, 5, "a stack symbol or '-', found ','"),
    _init("trailing comma", "0|1,3,\n", 1, 7, "a stack symbol or '-', found the end of the line"),
    _init("trailing dot", "0|1.,3\n", 1, 5, "a stack symbol after '.', found ','"),
    _init("wildcard", "0|*,3\n", 1, 3, "a stack symbol or '-', found '*'"),
    _init("dash and symbol", "0|-.1,3\n", 1, 4, "',' or the end of the line, found '.'"),
    _init("brackets", "<0|1,3>\n", 1, 1, "a shared state (0 to 2), found '<'"),
    _init("two states", "0|1,3\n\n0|2,3\n", 3, 1, "one initial state, found a second one"),
    _init("count beyond the threads", "0|1 * 3\n", 1, 7, "a number of threads (1 to 2), found '3'"),
]

SPEC = [
    _spec("no bar", "0,1\n", 1, 2, "expected '|' after the shared state, found ','"),
    _spec("shared state out of range", "# bad\n9|1,3\n", 2, 1, "(0 to 2), found '9'"),
    _spec("too few", "0|1\n", 1, 4, "2 entries, one for each thread (T1, T2), found 1"),
    _spec("too many, second line", "0|1,3\n0|1,3,-\n", 2, 7, "(T1, T2), found more"),
    _spec("a whole stack", "0|1.2,3\n", 1, 4, "',' or the end of the line, found '.'"),
    _spec("deadlock and more", "deadlock 0|1,3\n", 1, 1, "(0 to 2), found 'deadlock'"),
    _spec("count zero", "0|* * 0\n", 1, 7, "a number of threads (1 to 2), found '0'"),
    _spec("giant count", "0|1 * " + "9" * 5000, 1, 7, "a number of threads (1 to 2)"),
    _spec("word for a symbol", "0|x,3\n", 1, 3, "a stack symbol, '-' or '*', found 'x'"),
]

OPTIONS = [
    _option("empty --init", ["--init", ""], 1, "expected an initial state"),
    _option("--init too short", ["--init", "0|1"], 4, "2 entries, one for each thread (T1, T2)"),
    _option("--init with a name", ["--init", "0|1,main"], 5, "or '-', found 'main'"),
    _option("--init out of range", ["--init", " 8|1,3"], 2, "(0 to 2), found '8'"),
    _option("empty --target", ["--target", " "], 1, "expected a target"),
    _option("second --target", ["--target", "0|1,3", "--target", "0|1;3"], 4, "found ';'"),
    _option("--target out of range", ["--target", "4|*,*"], 1, "(0 to 2), found '4'"),
    _cpds_option(
        "--init too short", ["--init", "q|a,c"], 6, "3 entries, one for each thread (P, R.1"
    ),
    _cpds_option(
        "--init undeclared", ["--init", "x|a,c,c"], 1, "declared shared states, found 'x'"
    ),
    _cpds_option("--target too long", ["--target", "q|a,c,c,-"], 9, "found more"),
]

CPDS = [
    _cpds("empty", "", 0, 0, "the file is empty"),
    _cpds("not UTF-8", b"initial \xe9\n", 0, 0, "byte 8 is 0xe9"),
    _cpds("only comments", "# nothing\n", 1, 10, "'initial' and a shared state, found neither"),
    _cpds("no initial", "thread P {\nstack -\n}\n", 3, 2, "'initial' and a shared state"),
    _cpds("no thread", "initial q\n\n\n", 1, 10, "at least one thread, found none"),
    _cpds("unknown word", "init q\n", 1, 1, "'shared', 'initial', 'thread' or 'bad', found 'init'"),
    _cpds(
        "quoted keyword", '"initial" q\n', 1, 1, "expected 'shared', 'initial', 'thread' or 'bad'"
    ),
    _cpds("rule outside", "initial q\nq | a -> q | b\n", 2, 1, "found a rule outside all threads"),
    _cpds("brace outside", "initial q\n}\n", 2, 1, "'thread' or 'bad', found '}'"),
    _cpds("initial without a name", "initial # q\n", 1, 8, "a shared state, found the end"),
    _cpds("initial with two names", "initial q r\n", 1, 11, "after the initial shared state"),
    _cpds("initial twice", f"{HEAD}initial q\n", 9, 1, "one 'initial' line, found a second"),
    _cpds("shared without names", "shared\n", 1, 7, "the name of a shared state, found the end"),
    _cpds("shared too late", "initial q\nshared q\n", 2, 1, "'shared' before everything else"),
    _cpds("shared twice the same", "shared q r q\n", 1, 12, "new shared state, found 'q' again"),
    _cpds(
        "initial undeclared", "shared r s\ninitial q\n", 2, 9, "declared shared states, found 'q'"
    ),
    _cpds("rule undeclared", f"shared q s\n{HEAD}", 5, 14, "declared shared states, found 'r'"),
    _cpds("bad undeclared", f"shared q r\n{HEAD}bad s | *, *, *\n", 10, 5, "states, found 's'"),
    _cpds(
        "thread without a name", "initial q\nthread {\n", 2, 8, "the name of the thread, found '{'"
    ),
    _cpds("thread without a brace", "initial q\nthread P\n", 2, 9, "expected '{' after the name"),
    _cpds(
        "thread on one line", "initial q\nthread P { stack - }\n", 2, 12, "after '{', found 'stack'"
    ),
    _cpds("count zero", "initial q\nthread P * 0 {\n", 2, 12, "(1 to 10000), found '0'"),
    _cpds("count missing", "initial q\nthread P * {\n", 2, 12, "(1 to 10000), found '{'"),
    _cpds(
        "count too large", "initial q\nthread P * 10001 {\n", 2, 12, "(1 to 10000), found '10001'"
    ),
    _cpds(
        "count absurd", f"initial q\nthread P * {'9' * 5000} {{\n", 2, 12, "threads (1 to 10000)"
    ),
    _cpds(
        "too many in total", f"{HEAD}thread S * 9998 {{\n", 9, 8, "at most 10000 threads in total"
    ),
    _cpds("thread name twice", f"{HEAD}thread P {{\n", 9, 8, "line 2 already has a thread 'P'"),
    _cpds("name of a counted thread", f'{HEAD}thread "R.2" {{\n', 9, 8, "has a thread 'R.2'"),
    _cpds("no stack", "initial q\nthread P {\n  q | a -> q | b\n}\n", 4, 1, "write 'stack -' if"),
    _cpds("two stacks", "initial q\nthread P {\n stack a\n stack b\n}\n", 4, 2, "one 'stack' line"),
    _cpds(
        "stack without symbols", "initial q\nthread P {\n stack\n}\n", 3, 7, "symbol or '-', found"
    ),
    _cpds("stack with a comma", "initial q\nthread P {\n stack a, b\n}\n", 3, 9, "after the stack"),
    _cpds("stack with a dash", "initial q\nthread P {\n stack - a\n}\n", 3, 10, "after the stack"),
    _cpds(
        "thread in thread", "initial q\nthread P {\n thread R {\n", 3, 2, "'}' to close thread P"
    ),
    _cpds("bad in thread", "initial q\nthread P {\n bad * | a\n", 3, 2, "'}' to close thread P"),
    _cpds(
        "no closing brace", "initial q\nthread P {\n stack -\n\n", 3, 9, "close thread P of line 2"
    ),
    _cpds("more after the brace", "initial q\nthread P {\n stack -\n} bad\n", 4, 3, "after '}'"),
    _cpds(
        "no bar on the left", "initial q\nthread P {\n q a -> q | b\n", 3, 4, "'|' after the shared"
    ),
    _cpds("no bar on the right", "initial q\nthread P {\n q | a -> q b\n", 3, 13, "'|' after the"),
    _cpds("no top", "initial q\nthread P {\n q | -> q | b\n", 3, 6, "symbol or '-', found '->'"),
    _cpds(
        "two tops", "initial q\nthread P {\n q | a b -> q | b\n", 3, 8, "'->' after the left-hand"
    ),
    _cpds(
        "wrong arrow", "initial q\nthread P {\n q | a = q | b\n", 3, 8, "left-hand side, found '='"
    ),
    _cpds("no word", "initial q\nthread P {\n q | a -> q |\n", 3, 14, "'-', found the end of the"),
    _cpds(
        "no word, all known", f"{HEAD[:-2]}q | a -> r | b\nq | a -> r |\n", 9, 13, "symbol or '-'"
    ),
    _cpds(
        "wrong arrow, all known", f"{HEAD[:-2]}q | a -> r | b\nq | a = r | b\n", 9, 7, "found '='"
    ),
    _cpds("word and dash", "initial q\nthread P {\n q | a -> q | b -\n", 3, 17, "right-hand side"),
    _cpds(
        "quoted dash", 'initial q\nthread P {\n q | "-" -> q | b\n', 3, 6, "the name of a symbol"
    ),
    _cpds("open quotes", 'initial "q\n', 1, 9, "quotes opened here are not closed"),
    _cpds("unknown escape", 'initial "q\\x"\n', 1, 11, "unknown escape '\\x'"),
    _cpds("letter without quotes", "initial é\n", 1, 9, "a shared state, found 'é'"),
    _cpds(
        "a line that is no line", f"{HEAD[:20]}\n ->\n", 3, 2, "a rule, 'stack' or '}', found '->'"
    ),
    _cpds("bad without a pattern", f"{HEAD}bad\n", 9, 4, "a shared state, found the end"),
    _cpds(
        "bad too short",
        f"{HEAD}bad q | a, c\n",
        9,
        13,
        "3 entries, one for each thread (P, R.1, R.2)",
    ),
    _cpds("bad too long", f"{HEAD}bad q | a, c * 2, c\n", 9, 19, "(P, R.1, R.2), found more"),
    _cpds("bad repeated too often", f"{HEAD}bad q | a, c * 3\n", 9, 16, "(1 to 2), found '3'"),
    _cpds("bad repeated by a name", f"{HEAD}bad q | a * b, c\n", 9, 13, "(1 to 3), found 'b'"),
    _cpds(
        "bad deadlock and more", f"{HEAD}bad deadlock now\n", 9, 14, "expected '|' after the shared"
    ),
    _cpds("bad before a broken thread", "bad q\ninitial q\nthread P\n", 3, 9, "expected '{'"),
]

BROKEN_INPUTS = [*FILES, *PDS, *INIT, *SPEC, *OPTIONS, *CPDS]
