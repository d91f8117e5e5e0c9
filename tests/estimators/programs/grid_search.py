"""The best vectorizer and smoothing by cross-validation."""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

rng = np.random.default_rng(0)
words = {"cooking": "salt pan oil bread onion oven", "travel": "train hotel map sea ticket island"}
texts, labels = [], []
for i in range(60):
    label = ["cooking", "travel"][i % 2]
    own, common = words[label].split(), ["good", "day", "new", "time", "day", "people"]
    texts.append(" ".join([*rng.choice(own, 3), *rng.choice(common, 5)]))
    labels.append(label)
search = GridSearchCV(
    make_pipeline(CountVectorizer(), ComplementNB()),
    {
        "countvectorizer__ngram_range": [(1, 1), (1, 2)],
        "complementnb__alpha": [0.01, 0.1, 1.0],
        "complementnb__norm": [False, True],
    },
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
    scoring="neg_log_loss",
)
search.fit(texts, labels)
print(search.best_params_)
print(search.cv_results_["mean_test_score"].round(9))
print(search.cv_results_["rank_test_score"])
print(search.best_estimator_.predict(["a ticket for the train", "bread with salt and oil"]))
