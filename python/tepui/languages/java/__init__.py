"""Java: class files, where they are found, and the classes of an installed JDK.

`classfile` reads one class, `classpath` finds classes by name, `jdk` finds the JDK.
"""
