"""Work on live PyTorch objects: capture a graph, record a pass, manage hooks. No display here."""
