"""Write hooks as plain PyTorch code."""
