"""Texts for trials: documents of ja-mini, some to learn and some to classify."""

import pytest

CLASSES = {"配送": "travel", "経理": "money", "技術": "computing"}
"""Departments of a made company, and the classes of ja-mini whose texts they get."""


@pytest.fixture(scope="session")
def texts(request):
    """Texts of a part of ja-mini by department, in order; those with line ends have them as a spreadsheet does."""
    root = request.config.rootpath / "corpora" / "ja-mini"

    def read(part, number):
        return {
            name: [
                path.read_text(encoding="utf-8").strip().replace("\n", "\r\n")
                for path in sorted((root / part / folder).glob("*.txt"))[:number]
            ]
            for name, folder in CLASSES.items()
        }

    return read
