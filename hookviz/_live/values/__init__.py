"""Read tensors, and tell later whether a value has changed."""
