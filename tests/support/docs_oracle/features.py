"""Which features of the language occur in a text, to see what was compared."""

from __future__ import annotations

import re

PATTERNS = {
    "bool": r"^decl [^:]*;|: bool\b|decl \S+ := [01TF*]",
    "enum": r"\benum\b",
    "int": r"\bint\b",
    "int saturate": r"\bsaturate\b",
    "int block": r"\bblock\b",
    "int negative": r"\bint -\d",
    "int without 0": r"\bint ([1-9]|-\d+\.\.-)",
    "array": r"\[\d\]",
    "index by value": r"\w\[[^\]\d]",
    "thread variable": r"\bthread t|: thread|decl thread",
    "initial any": r"decl [^;]*:= \*|^decl \S+;",
    "skip": r"\bskip\b",
    "several at once": r"^[^(]*, [^(]* := ",
    "constrain": r" constrain ",
    "call": r"^\s+(\w+: )*[fghk]\w*\(|^\s+(\w+: )*thread_\d\(",
    "call with result": r":= [fghk]\(",
    "result ignored": r"\b_\b[^:]*:=",
    "result of int": r"^int ",
    "two results": r"bool<2>",
    "return": r"\breturn\b",
    "assert": r"\bassert\b",
    "assume": r"\bassume\b",
    "wait": r"\bwait\b",
    "goto": r"^\s+(\w+: )*goto",
    "goto several": r"goto \w+, ",
    "if": r"\bif\b",
    "else": r"\belse\b",
    "elsif": r"\belsif\b",
    "while": r"\bwhile\b",
    "atomic section": r"\batomic \{|atomic_begin",
    "create": r"\bthread_create\b",
    "create several": r"thread_create\(.*, 2\);",
    "create with arguments": r"thread_create\(\w\(",
    "async": r"\basync\b",
    "async with name": r":= async",
    "join": r"\bjoin\b",
    "identity copied": r"\b[tuv]\d+ := [tuv]\d+;",
    "identity passed": r"\([^()]*\b[tuv]\d+\)",
    "label": r"^\s+L\d+:",
    "several labels": r"^\s+L\d+: L\d+:",
    "number": r"^\s+\d+:",
    "?:": r" \? ",
    "=>": r"=>",
    "^": r" \^ ",
    "order": r" [<>]=? ",
    "sum": r" [+-] ",
    "product": r"\w\)? \* \(?\w",
    "schoose": r"\bschoose\b",
    "any value": r":= [*?]|\([*?]\)",
    "for": r"\bfor \(",
    "do": r"\bdo\b",
    "switch": r"\bswitch\b",
    "default": r"\bdefault\b",
    "break": r"\bbreak;",
    "continue": r"\bcontinue;",
    "machine integer": r"\bu?int(8|16)\b",
    "operators of C": r" (/|%|<<|>>) |~x",
    ">>>": r">>>",
    "compound": r" [-+*/%&|^<>]+= |\+\+|--",
    "volatile": r"\bvolatile\b",
    "threads compared": r"\bt\d+ !?= t",
    "thread_self": r"\bthread_self\b",
    "enforce": r"\benforce\b",
    "dead": r"\bdead\b",
    "abortif": r"\babortif\b",
    "print": r"\bprint\b",
    "start_thread": r"start_thread \w+\(",
    "start_thread goto": r"start_thread goto",
    "end_thread": r"\bend_thread\b",
    "ASYNC_": r"\bASYNC_",
    "SLIC_ERROR": r"\bSLIC_ERROR\b",
    "Getafix": r"^void init\(",
    "Getafix lock": r"^decl atomic",
    "odd names": r"#|\{\w+ >",
}


def features(text: str) -> set[str]:
    """The names of what occurs in a text, and how its threads come to be."""
    found = {name for name, one in PATTERNS.items() if re.search(one, text, re.MULTILINE)}
    main = re.search(r"^void main\(\)(.*?)^(\}|end)", text, re.MULTILINE | re.DOTALL)
    inside = main.group(1) if main else ""
    statements = [line.strip() for line in inside.splitlines()[1:] if line.strip()]
    if all(re.match(r"(\d+: )*thread_create", line) for line in statements):
        found.add("main is no thread")
    for name, body in re.findall(
        r"^\S+(?: \S+)* (\w+)\([^)]*\) (?:\{|begin)\n(.*?)^(?:\}|end)$", text, re.M | re.S
    ):
        if re.search(rf"(?<!async )(?<!\w){name}\(", body):
            found.add("recursion")
        if name != "main" and re.search(r"thread_create|async|start_thread", body):
            found.add("created by others")
    return found
