"""Tests of what runs beside a sweep. Run: .tracking-python/bin/python -m unittest discover -t dag -s dag/tests"""

import sys
from pathlib import Path

# The programs are plain scripts.
sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))
