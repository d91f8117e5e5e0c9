"""The tokenizer ``janome``: exactly Janome's tokens, from one of three engines.

==================  =======================================================================================
tokenizer.py        the tokenizer and its parameters
engines.py          which engine runs; the engine in C, and Janome itself
lattice.py          the engine in Python: Janome's lattice
user_dictionary.py  words of the user's own
dictionary.py       a dictionary as flat arrays
double_array.py     the index of its surfaces
compiled.py         Janome's dictionary made into such arrays, and the file that keeps them
installed.py        the version and the files of the installed Janome
==================  =======================================================================================

Not public: CONTRIBUTING.md lists the public modules.
"""

from textnb.extension import dir_of
from textnb.text.janome.engines import ENGINES, Engine, chosen_engine, engine_for
from textnb.text.janome.installed import janome_version
from textnb.text.janome.tokenizer import Janome
from textnb.text.janome.user_dictionary import UserDictionary

__all__ = [
    "ENGINES",
    "Engine",
    "Janome",
    "UserDictionary",
    "chosen_engine",
    "engine_for",
    "janome_version",
]

__dir__ = dir_of(__name__)
