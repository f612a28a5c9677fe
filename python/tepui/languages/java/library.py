"""Which classes make up a program: models of ours, the user's, and those of the JDK.

Of the JDK, collections and exceptions are entered as they are, and all else only by what models
say. What is not entered is a limit of the translation where it is called.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tepui.languages.java.classfile import ClassFile
from tepui.languages.java.classpath import Classpath

if TYPE_CHECKING:
    from tepui.languages.java.hierarchy import Hierarchy, JavaMethod, Origin

MODELS = Path(__file__).parent / "models" / "classes"
"""The class files of our models."""

_ENTERED = re.compile(
    r"java/util/(?!concurrent/|stream/|regex/|zip/|jar/|logging/|prefs/|spi/|Formatter|Locale"
    r"|Timer|Scanner|Date|Calendar|GregorianCalendar|TimeZone|Currency|Properties|ResourceBundle"
    r"|ServiceLoader|Base64|UUID|WeakHashMap|Spliterator)\w+(\$\w+)*"
    r"|java/util/function/\w+"
    r"|java/lang/(Iterable|Runnable|Comparable|CharSequence|Enum|Record|Number|Cloneable"
    r"|AutoCloseable|Readable|Appendable|StringBuffer|AbstractStringBuilder|ThreadLocal)"
    r"|java/lang/ref/(Reference|WeakReference|SoftReference)"
    r"|java/util/concurrent/(Callable|Executor|Future|Delayed)"
    r"|java/io/(Serializable|Closeable|Flushable|OutputStream|FilterOutputStream)"
)


class Library:
    """Finds classes by their names."""

    def __init__(self, classpath: Classpath) -> None:
        self._models = Classpath([MODELS])
        self._classpath = classpath

    def find(self, name: str) -> tuple[ClassFile, Origin] | None:
        """A class, and where it comes from."""
        if found := self._models.find(name):
            return found, "model"
        if found := self._classpath.find(name):
            return found, "jdk" if self._classpath.is_of_jdk(name) else "program"
        return None


def is_entered(hierarchy: Hierarchy, method: JavaMethod) -> bool:
    """Whether the code of a method is part of the program."""
    owner = method.owner
    if owner.origin != "jdk":
        return True
    name = owner.name
    return bool(_ENTERED.fullmatch(name)) or hierarchy.is_subtype(name, "java/lang/Throwable")
