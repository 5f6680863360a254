"""The algorithms, definitions and claims of the specification."""
