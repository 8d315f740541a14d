"""Situations in which people meet hooks, each held against plain PyTorch; see README.md."""

import pytest

# So that a failing comparison shows what differs.
pytest.register_assert_rewrite("tests.cases.oracle")
