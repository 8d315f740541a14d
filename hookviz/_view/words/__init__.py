"""Say in words what happened."""
