"""A fitted model in a file, and several models at once."""

import tempfile
from pathlib import Path

import joblib
import numpy as np
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import CategoricalNB

rng = np.random.default_rng(2)
y = np.arange(80) % 2
X = (rng.integers(0, 4, (80, 5)) + y[:, np.newaxis] * (rng.random((80, 5)) < 0.5)) % 4
model = CategoricalNB(alpha=0.5, min_categories=5).fit(X, y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.joblib"
    joblib.dump(model, path)
    again = joblib.load(path)
print((again.predict_proba(X) == model.predict_proba(X)).all(), again.n_categories_, again.class_count_)
print(again.partial_fit(X, y).class_count_)
print(cross_val_score(CategoricalNB(min_categories=5), X, y, cv=4, n_jobs=2).round(9))
print(cross_val_predict(CategoricalNB(min_categories=5), X, y, cv=4, method="predict_proba")[:4].round(9))
fits = joblib.Parallel(n_jobs=2)(joblib.delayed(CategoricalNB(alpha=a).fit)(X, y) for a in (0.1, 1.0, 10.0))
print([fit.score(X, y) for fit in fits], [part.shape for part in fits[0].feature_log_prob_])
