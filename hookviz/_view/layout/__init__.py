"""Place what is drawn: Graphviz, or a layout without it."""
