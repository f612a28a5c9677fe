"""What a run is about: a pushdown system, or a program, as written or made by a pass.

A Subject holds the System that engines explore, and knows the names behind its numbers. It is made
once, where a run begins, and travels in the result. All code that prints, draws, checks or exports
asks it: what a state is called, what happens in a trace (`story`), what is covered, what was
violated.
"""

from tepui.subject.subject import Subject, SystemSubject, Violated, about

__all__ = ["Subject", "SystemSubject", "Violated", "about"]
