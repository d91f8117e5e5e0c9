"""Where tests find public corpora, which are not part of the project."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def public_corpora() -> Path:
    folder = os.environ.get("TEXTNB_CORPORA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the public corpora: set TEXTNB_CORPORA to the folder with their archives")
    return Path(folder)
