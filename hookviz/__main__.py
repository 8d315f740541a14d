"""Run `python -m hookviz`, the same as the `hookviz` command."""

from __future__ import annotations

import sys

from hookviz._cli.main import main

sys.exit(main())
