"""Tests of the package as it is installed.

HOLDADVISE_TOOLS: the folder of the tools, to compare with.
"""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
_tools = os.environ.get("HOLDADVISE_TOOLS")
TOOLS = pathlib.Path(_tools) if _tools else None
