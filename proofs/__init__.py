"""Proofs for all values, on the functions of spec themselves."""
