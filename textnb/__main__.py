"""``python -m textnb`` is the command ``textnb``."""

from textnb.cli import main

if __name__ == "__main__":
    main()
