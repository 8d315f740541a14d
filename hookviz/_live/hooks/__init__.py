"""Hold one hook: its source, its place in a dictionary, its stand-in."""
