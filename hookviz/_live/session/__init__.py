"""Run a graph again after each change of its hooks."""
