"""Answer questions about a graph and its events."""
