"""Find the nodes, the tensors and the hooks of a graph."""
