"""What the translator knows by itself about some classes of Java.

The methods of `tepui.Intrinsics` are what models are written with. Some methods of Object
are calls of models (`redirected`).
"""

from __future__ import annotations

from tepui.languages.java.hierarchy import OBJECT, STRING, MethodKey

NULL_POINTER = "java/lang/NullPointerException"
INDEX = "java/lang/ArrayIndexOutOfBoundsException"
ARITHMETIC = "java/lang/ArithmeticException"
NEGATIVE_SIZE = "java/lang/NegativeArraySizeException"
CLASS_CAST = "java/lang/ClassCastException"
ARRAY_STORE = "java/lang/ArrayStoreException"
MONITOR_STATE = "java/lang/IllegalMonitorStateException"
INITIALISER = "java/lang/ExceptionInInitializerError"
STRING_INDEX = "java/lang/StringIndexOutOfBoundsException"
NO_CLASS = "java/lang/NoClassDefFoundError"

IMPLICIT = (
    NULL_POINTER, INDEX, ARITHMETIC, NEGATIVE_SIZE, CLASS_CAST, ARRAY_STORE, MONITOR_STATE,
    INITIALISER, NO_CLASS, STRING_INDEX,
)  # fmt: skip
"""The exceptions that the machine itself throws."""

_MONITORS = "tepui/Monitors"

_REDIRECTED: dict[tuple[str, str], MethodKey] = {
    ("wait", "()V"): (_MONITORS, "waitFor", f"(L{OBJECT};)V"),
    ("wait", "(J)V"): (_MONITORS, "waitFor", f"(L{OBJECT};J)V"),
    ("wait", "(JI)V"): (_MONITORS, "waitFor", f"(L{OBJECT};JI)V"),
    ("notify", "()V"): (_MONITORS, "notifyOne", f"(L{OBJECT};)V"),
    ("notifyAll", "()V"): (_MONITORS, "notifyAll", f"(L{OBJECT};)V"),
}


_VALUES = f"L{STRING};[L{OBJECT};)L{STRING};"

_TEXTS = {
    ("valueOf", f"(L{OBJECT};)L{STRING};"): f"(L{OBJECT};)L{STRING};",
    ("format", f"({_VALUES}"): f"({_VALUES}",
    ("format", f"(Ljava/util/Locale;{_VALUES}"): f"(Ljava/util/Locale;{_VALUES}",
    ("formatted", f"([L{OBJECT};)L{STRING};"): f"({_VALUES}",
}
"""Methods of String that ask objects for their strings, and what their models take."""


def redirected(owner: str, name: str, descriptor: str) -> list[MethodKey]:
    """The model that is called in place of a method, if there is one."""
    if owner == STRING and (name, descriptor) in _TEXTS:
        return [("tepui/Strings", name, _TEXTS[name, descriptor])]
    # These methods are final, so whatever the class, they are those of Object.
    found = _REDIRECTED.get((name, descriptor))
    if found is None or owner.startswith("tepui/"):
        return []
    return [found]
