"""Processes that are killed while they learn: the short form of scripts/experiments/journal_kills.py."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "experiments" / "journal_kills.py"


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_every_acknowledged_correction_survives_kill_9_exactly_once():
    done = subprocess.run([sys.executable, SCRIPT, "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8 kills in 2 rounds; ")
