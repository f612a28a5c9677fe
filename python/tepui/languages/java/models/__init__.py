"""Models of classes that the JDK implements natively or in too complicated a way, in Java.

`src` has their sources and `classes` what `build` compiled from them; `HARNESS` lists which are
classes of test harnesses. They are written over the intrinsics in `src/tepui/Intrinsics.java`,
which the translator knows. A method that a model does not have is a limit where it is called.
"""
