"""scikit-learn, where the caller has loaded it: never imported, but answered in its own terms."""

import sys
from typing import Any


def counterpart(own: type[Any]) -> type[Any]:
    """scikit-learn's exception or warning of the same name, where scikit-learn is loaded; otherwise textnb's own.

    Its tools catch and filter by their own classes.

    >>> import sklearn.exceptions, textnb.errors
    >>> counterpart(textnb.errors.NotFittedError) is sklearn.exceptions.NotFittedError
    True
    """
    theirs: type[Any] = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, own)
    return theirs
