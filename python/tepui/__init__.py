"""tepui verifies concurrent recursive programs for any number of context switches."""

__version__ = "0.1.0"
