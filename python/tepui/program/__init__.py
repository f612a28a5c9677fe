"""Programs: the layer between input languages and systems. `program` is the contract."""
