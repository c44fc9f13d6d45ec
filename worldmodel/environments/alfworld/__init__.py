"""ALFWorld: its text, its games and its engines."""
