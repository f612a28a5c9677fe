"""The kinds of certificates, a file each, and what these have in common about sets of stacks."""
