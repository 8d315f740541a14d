"""Record code that does not know hookviz."""
