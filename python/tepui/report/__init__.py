"""How results are shown to people and programs: text, a live table, pages, pictures, files."""
