"""Random graphs and random hooks, each run held against plain PyTorch bit for bit."""
