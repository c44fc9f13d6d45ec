"""Text environments, one folder or module each: a gymnasium game and its text <-> facts."""
