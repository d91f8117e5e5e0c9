"""What to call a message, by the probability p that it is spam: good mail lost costs more than spam that is seen.

    spam    where odds(p) >= t odds(spam)            odds(p) = p / (1 - p)                                       (1)
    good    where p <= good                                                                                      (2)
    unsure  between

t is 1 for a message with its headers and ``thin`` for one without. Where the way it took is not told, less is known of
a message than its probability says, for the model has learnt from messages that tell. Only calling it spam is made
harder: letting spam through costs little.
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
    """The numbers of eq. (1) and (2): 0 <= good < spam <= 1, thin >= 1.

    >>> Verdicts()([0.995, 0.995, 0.5, 0.05], thin=[False, True, False, False]).tolist()
    ['spam', 'unsure', 'unsure', 'good']
    """

    spam: float = 0.99
    good: float = 0.1
    thin: float = 3.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_number(value) or not 0 <= value < np.inf:
                raise InputError(f"{name} must be a number and not negative, not {value!r}")
        if not self.good < self.spam <= 1:
            raise InputError(
                "the probabilities to call a message good and spam must be in order, from 0 to 1, "
                f"not {self.good!r} and {self.spam!r}"
            )
        if not self.thin >= 1:
            raise InputError(f"thin is what odds are multiplied by, 1 or more, not {self.thin!r}")

    def __call__(self, probabilities: ArrayLike, thin: ArrayLike = False) -> NDArray[np.str_]:
        """``spam``, ``good`` or ``unsure`` for probabilities of spam (D,). thin: whether headers are, (D,) or all."""
        p = np.asarray(probabilities, np.float64)
        is_spam = p >= np.where(thin, self.spam_from(thin=True), self.spam_from())
        return np.where(is_spam, SPAM, np.where(p <= self.good, GOOD, UNSURE))

    def spam_from(self, *, thin: bool = False) -> float:
        """The probability from which on a message is called spam, by eq. (1).

        >>> Verdicts().spam_from(), round(Verdicts().spam_from(thin=True), 4)
        (0.99, 0.9966)
        """
        return self.spam * self.thin / (self.spam * self.thin + 1 - self.spam) if thin else self.spam


def is_thin(message: Document) -> bool:
    """Whether a message does not tell which hosts have passed it on.

    >>> is_thin(Document("hello", fields={"from": ["a@example.jp"]}))
    True
    """
    return not message.fields.get("received")
