"""The strength of the penalty by cross-validation, along a path from strong to weak.

    lambda_0 > lambda_1 > ...       each a fixed factor below the one before                            (1)
    theta_f(lambda_t) = argmin L_f(theta; lambda_t)      over the rows outside fold f, from theta_f(lambda_t-1)   (2)
    E(lambda) = sum_i w_i e(y_i, scores of row i by the model without its fold) / sum_i w_i             (3)

e is the loss of a row without penalty: -log p(y|x), or the sum of its squared hinges. The path ends as soon as E has
grown, and the strength of the least E is taken, of equals the strongest. All folds go along together, so memory holds
the scaled rows of all of them: about as many copies of X as there are folds, less one.

A row whose class has no row outside its fold has no score for it; it is left out of (3). Where that leaves nothing, or
there is one class, there is nothing to choose by, and ``OTHERWISE`` is taken.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textnb.models.minimum import Minimum, bound, minimum
from textnb.models.nb_ratios import Numbers, Presence, largest_ratio, used_terms
from textnb.models.scorer import LinearScorer
from textnb.models.smooth_loss import Loss, LossOf
from textnb.models.softmax_loss import SoftmaxLoss
from textnb.models.squared_hinge import SquaredHingeLoss
from textnb.numerics import Floats, log_softmax
