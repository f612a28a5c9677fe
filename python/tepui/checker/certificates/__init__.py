"""The kinds of certificates, one file each, and what they share: sets of stacks."""
