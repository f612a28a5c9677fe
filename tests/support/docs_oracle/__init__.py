"""An oracle for programs in .bp, written from docs/formats.md alone: states are listed naively."""
