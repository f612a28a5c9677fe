"""Words of C, Java and Python that programs in braces do not have, each with what to write instead.

Such a word is a name like any other here. It is looked up where a text makes no sense, so nobody
who has a variable of that name hears of it.
"""

from __future__ import annotations

NO_FRACTIONS = "; all numbers are integers"
NO_POINTERS = "; there are no pointers: an index can stand for one"

_ELSE = "; write 'else if (x) { … }'"
_LEAVE_OUT = "; there is no '{}': leave it out"
_NO_HEAP = "; there is no heap: declare an array that is long enough"
_NO_EXCEPTIONS = "; there are no exceptions: an error is an 'assert' that fails"
_NO_STRUCTURES = "; there are no structures: declare a variable or an array for each field"
_NO_OUTPUT = "; there is no output: leave it out"
_NO_TIME = "; there is no time, and other threads may run at any step: leave it out"
_ONE_FILE = "; there is only one file: leave it out"
_PROCEDURE = "; a procedure is written as in 'void f() { … }'"
_VARIABLE = "; a variable is declared as in 'decl x: int32;'"
_LOOP = "; write 'for (i := 0; i < n; i++) { … }'"
_UNTIL = "; write 'do { … } while (!x);'"
_ANY = "; write '*' for any value, as in 'x := *;'"
_SELF = "; a thread names itself by 'thread_self()'"
_SHARED = "; write 'decl volatile x: int32;', and 'atomic { … }' for steps that belong together"
_AT_ONCE = "; write 'atomic { … }' around what happens at once"

HINTS: dict[str, str] = {
    "pass": "; write 'skip;' for 'pass'",
    "then": "; leave out 'then', as in 'if (x) { … }'",
    "synchronized": "; write 'atomic { … }' for 'synchronized'",
    "foreach": _LOOP,
    "loop": "; write 'while (1) { … }'",
    "lambda": _PROCEDURE,
    "sizeof": "; there is no 'sizeof': write the number",
    "typedef": "; types have no names: write the type itself",
    "exit": "; there is no 'exit': 'assume(0);' stops a thread for ever",
    "abort": "; there is no 'abort': write 'assert(0);'",
}
for _words, _hint in (
    ("const static extern register inline auto final", _LEAVE_OUT),
    ("public private protected abstract native transient", _LEAVE_OUT),
    ("NULL null nullptr this", NO_POINTERS),
    ("malloc calloc free new delete", _NO_HEAP),
    ("try catch finally throw throws", _NO_EXCEPTIONS),
    ("struct union class interface record", _NO_STRUCTURES),
    ("float double", NO_FRACTIONS),
    ("def function func fn proc procedure", _PROCEDURE),
    ("var let", _VARIABLE),
    ("elif elsif elseif", _ELSE),
    ("until repeat", _UNTIL),
    ("include import package", _ONE_FILE),
    ("String string str", "; there are no texts"),
    ("print println printf fprintf puts putchar cout console", _NO_OUTPUT),
    ("sleep usleep nanosleep delay yield sched_yield pthread_yield", _NO_TIME),
    ("nondet nondet_bool nondet_int random rand choose havoc", _ANY),
    ("__VERIFIER_nondet_bool __VERIFIER_nondet_int __VERIFIER_nondet_uint", _ANY),
    ("self pthread_self current_thread currentThread gettid get_ident", _SELF),
    ("_Atomic atomic_int atomic_bool AtomicInteger AtomicBoolean", _SHARED),
    ("cas CAS compare_and_swap compareAndSet test_and_set fetch_and_add", _AT_ONCE),
):
    HINTS |= {_word: _hint.replace("{}", _word) for _word in _words.split()}
for _ours, _words in (
    ("&&", "and"),
    ("||", "or"),
    ("!", "not"),
    ("^", "xor"),
    ("%", "mod"),
    ("/", "div"),
    ("bool", "boolean _Bool"),
    ("int8", "byte char int8_t i8"),
    ("int16", "short int16_t i16"),
    ("int32", "signed integer Integer int32_t i32"),
    ("int64", "long int64_t i64"),
    ("uint8", "uint8_t uchar u8"),
    ("uint16", "uint16_t ushort u16"),
    ("uint32", "unsigned uint uint32_t u32"),
    ("uint64", "size_t uint64_t ulong u64"),
    ("thread", "pthread_t"),
):
    HINTS |= {_word: f"; write '{_ours}' for '{_word}'" for _word in _words.split()}
