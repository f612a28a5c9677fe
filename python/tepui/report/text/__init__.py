"""Results as text: in pieces with roles, wrapped to a width, without a word about terminals."""
