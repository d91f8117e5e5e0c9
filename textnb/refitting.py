"""When a model is fitted again after a change of what was learnt, and when its fit is only renewed.

A fit made on D documents, c of them learnt or forgotten since, is due where

    c >= DUE D,  or the classes are others                                                                       (1)

Until then the part that is a function of counts follows each change, and the part that must be fitted stays. A model
that cannot be renewed is fitted again after every change.
"""

from textnb.counts import Learnt
from textnb.errors import InputError, listed
from textnb.fitted import Earlier, Fitted
from textnb.models.table import model

DUE = 0.05
"""A 20th."""

REFITS = ("now", "when due", "never")


def earlier(fitted: Fitted | None, before: Learnt, after: Learnt, refit: str) -> Earlier | None:
    """The fit that is to be renewed, by eq. (1) for ``when due``; None where the model is to be fitted again."""
    if refit not in REFITS:
        raise InputError(f"refit must be one of {listed(REFITS)}, not {refit!r}")
    if fitted is None or refit == "now" or model(fitted.recipe.model).renew is None:
        return None
    since = fitted.fit.since + before.digests.distance(after.digests)
    is_due = refit == "when due" and since >= DUE * fitted.fit.facts["fitted_on"]
    if is_due or before.counts.classes != after.counts.classes:
        return None
    return Earlier(fitted.fit._replace(since=since), fitted.vocabulary)
