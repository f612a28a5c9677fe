"""`python -m tepui` is `tepui`."""

from tepui.cli import main

main()
