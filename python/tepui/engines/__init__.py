"""The engines: each computes one observation after another, and decides nothing."""
