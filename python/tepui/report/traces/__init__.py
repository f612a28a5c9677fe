"""Traces of programs in the words of their source."""
