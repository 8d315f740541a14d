"""Find the places of a scene: with Graphviz, or without it."""
