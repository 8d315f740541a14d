"""Record code that does not know hookviz: the cell magic, a script, and the report on both."""
