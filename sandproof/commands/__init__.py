"""The commands of `sandproof`, a module each."""
