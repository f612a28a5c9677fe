"""Evidence about programs, on rules of the reference semantics, for the program as written."""
