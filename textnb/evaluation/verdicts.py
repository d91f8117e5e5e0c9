"""What to call a message, by the probability p that it is spam: good mail lost costs more than spam that is seen.

    spam    where odds(p) >= t odds(spam)            odds(p) = p / (1 - p)                                       (1)
    good    where p <= good                                                                                      (2)
    unsure  between
    t = (1 + few / n) (thin where headers are, else 1)                                                           (3)

n is how many messages the model has learnt. A probability that was fitted to n messages cannot speak for events much
rarer than 1/n, and for a message that does not tell which way it took it says more than is known, for the model has
learnt from messages that tell. Both make it harder to lose good mail; letting spam through costs little.
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
    """The numbers of eq. (1) to (3): 0 <= good < spam <= 1, thin >= 1, few >= 0.

    >>> Verdicts()([0.995, 0.995, 0.5, 0.05], thin=[False, True, False, False]).tolist()
    ['spam', 'unsure', 'unsure', 'good']
    """

    spam: float = 0.99
    good: float = 0.1
    thin: float = 3.0
    few: float = 3000.0

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

    def __call__(self, probabilities: ArrayLike, thin: ArrayLike = False, learnt: float = np.inf) -> NDArray[np.str_]:
        """``spam``, ``good`` or ``unsure`` for probabilities of spam (D,).

        thin: whether headers are, (D,) or for all. learnt: n of eq. (3).
        """
        p = np.asarray(probabilities, np.float64)
        is_spam = p >= np.where(thin, self.spam_from(learnt, thin=True), self.spam_from(learnt))
        return np.where(is_spam, SPAM, np.where(p <= self.good, GOOD, UNSURE))

    def spam_from(self, learnt: float = np.inf, *, thin: bool = False) -> float:
        """The probability from which on a message is called spam, by eq. (1).

        >>> Verdicts().spam_from(), round(Verdicts().spam_from(3000), 4), round(Verdicts().spam_from(300), 4)
        (0.99, 0.995, 0.9991)
        """
        if not learnt > 0:
            return 1.0
        strictness = (1 + self.few / learnt) * (self.thin if thin else 1)
        return self.spam * strictness / (self.spam * strictness + 1 - self.spam) if strictness > 1 else self.spam


def is_thin(message: Document) -> bool:
    """Whether a message does not tell which hosts have passed it on.

    >>> is_thin(Document("hello", fields={"from": ["a@example.jp"]}))
    True
    """
    return not message.fields.get("received")
