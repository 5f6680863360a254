"""Searches for attacks: one file is one search."""
