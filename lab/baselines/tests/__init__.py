"""Tests of the baselines. Run: .baselines-python/bin/python -m unittest discover -t lab/baselines -s lab/baselines/tests"""

import sys
from pathlib import Path

# The baselines are plain scripts beside each other.
sys.path.insert(0, str(Path(__file__).parent.parent))
