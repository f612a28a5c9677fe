"""What people and programs get to see of a result: text, a live table, pages, pictures, files."""
