"""Random graphs and random hooks, each run held against plain PyTorch bit for bit."""

import pytest

# So that a failing comparison shows what differs.
pytest.register_assert_rewrite("tests.fuzz.oracle", "tests.fuzz.edits")
