"""Checks for every adversary in a small universe, and for random long runs."""
