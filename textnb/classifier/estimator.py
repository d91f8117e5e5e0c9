"""What scikit-learn's tools ask of an estimator of texts: parameters, tags and a score."""

from typing import Any, ClassVar

import numpy as np

from textnb.classifier.inputs import Labels, Texts
from textnb.counts.labels import Weights, as_weight
from textnb.errors import InputError, ParameterError, listed, suggestion
from textnb.estimators.scikit_learn import Estimator
from textnb.readers.frames import plain_values

_SHADOWED = {"calibrate": "_calibrate"}
"""Parameters that are also the name of a method, and the attributes that keep them."""


class TextEstimator(Estimator):
    """Parameters, tags and score of a TextClassifier; those of an estimator given as ``model`` are ``model__name``."""

    _data: ClassVar = ("texts", "labels")
    predict: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as they were given.

        Parameters
        ----------
        deep : bool
            Return the parameters of an estimator given as ``model``, too, as ``model__name``.

        Examples
        --------
        >>> from textnb import TextClassifier
        >>> TextClassifier("logistic", l2=3).get_params()["l2"]
        3
        """
        params = {name: getattr(self, _SHADOWED.get(name, name)) for name in self._defaults()}
        if deep and _is_estimator(params["model"]):
            params |= {f"model__{name}": value for name, value in params["model"].get_params().items()}
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name and return the classifier; they are checked, and take effect, at the next ``fit``."""
        known = self._defaults()
        nested = {name.removeprefix("model__"): value for name, value in params.items() if name.startswith("model__")}
        own = {name: value for name, value in params.items() if not name.startswith("model__")}
        for name in sorted(own.keys() - known.keys()):
            template = "{cls} has no parameter {name!r}{hint}; it has {known}"
            hint = suggestion(name, known)
            raise ParameterError(template, cls=type(self).__name__, name=name, hint=hint, known=listed(known))
        for name, value in own.items():
            setattr(self, _SHADOWED.get(name, name), value)
        if nested:
            model = self.get_params(deep=False)["model"]
            if not _is_estimator(model):
                template = "model__{name} is for an estimator as model, not for {model!r}"
                raise ParameterError(template, name=min(nested), model=model)
            model.set_params(**nested)
        return self

    def score(self, texts: Texts, labels: Labels, sample_weight: Weights | None = None) -> float:
        """Return the accuracy on labelled texts: the proportion, by weight, whose label is predicted.

        >>> from textnb import TextClassifier
        >>> clf = TextClassifier(tokenizer="words").fit(["good fun", "bad fun"], ["pos", "neg"])
        >>> clf.score(["good", "bad", "bad"], ["pos", "neg", "pos"])
        0.6666666666666666
        """
        true, found = list(plain_values(labels)), self.predict(texts).tolist()
        if len(true) != len(found):
            raise InputError("there are {texts} texts and {labels} labels", texts=len(found), labels=len(true))
        weight = np.ones(len(found)) if sample_weight is None else as_weight(sample_weight, len(found))
        if not weight.sum() > 0:
            raise InputError("there is nothing to score: there are no texts, or every sample_weight is zero")
        return float(np.average([a == b for a, b in zip(true, found, strict=True)], weights=weight))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )


def _is_estimator(model: Any) -> bool:
    return hasattr(model, "get_params") and not isinstance(model, type)
