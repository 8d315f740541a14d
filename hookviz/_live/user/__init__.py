"""Read the user's own code, names and objects."""
