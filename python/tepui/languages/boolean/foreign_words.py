"""Words of C, Java and Python that programs in braces do not have, each with what to write instead.

Such a word is a name like any other here. It is looked up where a text makes no sense, so nobody
who has a variable of that name hears of it.
"""

from __future__ import annotations

_ELSE = "; write 'else if (x) { … }'"
_LEAVE_OUT = "; there is no '{}': leave it out"
_NO_POINTERS = "; there are no pointers: an index can stand for one"
_NO_HEAP = "; there is no heap: declare an array that is long enough"
_NO_EXCEPTIONS = "; there are no exceptions: an error is an 'assert' that fails"
_NO_STRUCTURES = "; there are no structures: declare a variable or an array for each field"
_NO_FRACTIONS = "; all numbers are integers"
_PROCEDURE = "; a procedure is written as in 'void f() { … }'"
_VARIABLE = "; a variable is declared as in 'decl x: int32;'"
_LOOP = "; write 'for (i := 0; i < n; i++) { … }'"

HINTS: dict[str, str] = {
    "and": "; write '&&' for 'and'",
    "not": "; write '!' for 'not'",
    "or": "; write '||' for 'or'",
    "pass": "; write 'skip;' for 'pass'",
    "then": "; leave out 'then', as in 'if (x) { … }'",
    "synchronized": "; write 'atomic { … }' for 'synchronized'",
    "boolean": "; write 'bool' for 'boolean'",
    "_Bool": "; write 'bool' for '_Bool'",
    "byte": "; write 'int8' for 'byte'",
    "char": "; write 'int8' for 'char'",
    "short": "; write 'int16' for 'short'",
    "long": "; write 'int64' for 'long'",
    "signed": "; write 'int32' for 'signed'",
    "unsigned": "; write 'uint32' for 'unsigned'",
    "size_t": "; write 'uint64' for 'size_t'",
    "until": "; write 'do { … } while (!x);'",
    "repeat": "; write 'do { … } while (!x);'",
    "foreach": _LOOP,
    "loop": "; write 'while (1) { … }'",
    "lambda": _PROCEDURE,
    "include": "; there is only one file: leave it out",
    "import": "; there is only one file: leave it out",
    "package": "; there is only one file: leave it out",
    "String": "; there are no texts",
    "sizeof": "; there is no 'sizeof': write the number",
    "printf": "; there is no output: leave it out",
    "puts": "; there is no output: leave it out",
    "print": "; there is no output: leave it out",
    "exit": "; there is no 'exit': 'assume(0);' stops a thread for ever",
    "abort": "; there is no 'abort': write 'assert(0);'",
    "elif": _ELSE,
    "elsif": _ELSE,
    "elseif": _ELSE,
}
for _words, _hint in (
    ("const static extern register inline auto final", _LEAVE_OUT),
    ("public private protected abstract native transient", _LEAVE_OUT),
    ("NULL null nullptr this", _NO_POINTERS),
    ("malloc calloc free new delete", _NO_HEAP),
    ("try catch finally throw throws", _NO_EXCEPTIONS),
    ("struct union class interface record typedef", _NO_STRUCTURES),
    ("float double", _NO_FRACTIONS),
    ("def function func fn proc procedure", _PROCEDURE),
    ("var let", _VARIABLE),
):
    HINTS |= {_word: _hint.replace("{}", _word) for _word in _words.split()}
