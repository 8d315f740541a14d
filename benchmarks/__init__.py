"""Compare hookviz with plain PyTorch and with its peers, side by side in one run."""
