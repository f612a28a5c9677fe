"""`python -m tepui` is `tepui`."""

from tepui.cli import command_line

command_line()
