"""Probabilities of Gaussian naive Bayes with and without calibration, by their Brier scores."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import make_blobs
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

X, y = make_blobs(
    600, n_features=2, cluster_std=1.0, centers=[(-5, -5), (0, 0), (5, 5)], shuffle=False, random_state=42
)
y[: 600 // 2] = 0
y[600 // 2 :] = 1
weight = np.random.RandomState(42).rand(len(y))
X_train, X_test, y_train, y_test, w_train, w_test = train_test_split(X, y, weight, test_size=0.9, random_state=42)
plain = GaussianNB().fit(X_train, y_train)
print("none", round(brier_score_loss(y_test, plain.predict_proba(X_test)[:, 1], sample_weight=w_test), 9))
for method in ("isotonic", "sigmoid"):
    calibrated = CalibratedClassifierCV(GaussianNB(), cv=2, method=method)
    calibrated.fit(X_train, y_train, sample_weight=w_train)
    p = calibrated.predict_proba(X_test)[:, 1]
    print(method, round(brier_score_loss(y_test, p, sample_weight=w_test), 6))
    print(*(part.round(6) for part in calibration_curve(y_test, p, n_bins=5)))
print(plain.theta_.round(9), plain.var_.round(9), plain.epsilon_)
