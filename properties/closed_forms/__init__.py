"""Closed forms: one query, and event-level outputs, at production parameters."""
