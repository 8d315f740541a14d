"""Fold the graph into boxes: modules, and repeated parts."""
