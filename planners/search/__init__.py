"""The searches, one module each."""
