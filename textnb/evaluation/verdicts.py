"""What to call a message, by the probability p that it is spam: good mail lost costs more than spam that is seen.

    spam    where odds(p) >= t odds(spam)            odds(p) = p / (1 - p)                                       (1)
    good    where odds(p) <= odds(good) / t                                                                      (2)
    unsure  between

t is 1 for a message with its headers and ``thin`` for one without. Where the way it took is not told, less is known of
a message than its probability says, for the model has learnt from messages that tell more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.numerics import is_number
from textnb.readers import Document

SPAM, GOOD, UNSURE = "spam", "good", "unsure"


@dataclass(frozen=True)
class Verdicts:
    """The two probabilities and the factor of eq. (1) and (2): 0 <= good < spam <= 1, thin >= 1.

    >>> Verdicts()([0.995, 0.995, 0.5, 0.05], thin=[False, True, False, False]).tolist()
    ['spam', 'unsure', 'unsure', 'good']
    """

    spam: float = 0.99
    good: float = 0.1
    thin: float = 3.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_number(value):
                raise InputError(f"{name} must be a number, not {value!r}")
        if not 0 <= self.good < self.spam <= 1:
            raise InputError(
                "the probabilities to call a message good and spam must be in order, from 0 to 1, "
                f"not {self.good!r} and {self.spam!r}"
            )
        if not 1 <= self.thin < np.inf:
            raise InputError(f"thin is what odds are multiplied by, 1 or more, not {self.thin!r}")

    def __call__(self, probabilities: ArrayLike, thin: ArrayLike = False) -> NDArray[np.str_]:
        """``spam``, ``good`` or ``unsure`` for probabilities of spam (D,). thin: whether headers are, (D,) or all."""
        p, factor = np.asarray(probabilities, np.float64), np.where(thin, self.thin, 1.0)
        is_spam = p * (1 - self.spam) >= factor * self.spam * (1 - p)  # odds compared without a division by 0
        is_good = factor * p * (1 - self.good) <= self.good * (1 - p)
        return np.where(is_spam, SPAM, np.where(is_good, GOOD, UNSURE))


def is_thin(message: Document) -> bool:
    """Whether a message does not tell which hosts have passed it on.

    >>> is_thin(Document("hello", fields={"from": ["a@example.jp"]}))
    True
    """
    return not message.fields.get("received")
