"""The symbolic core: what a rule is, how it is learned, checked and applied. No text, no environment."""
