"""Batches of texts that are never in memory together."""

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

rng = np.random.default_rng(1)
topics = {
    "earn": "profit share quarter net loss",
    "grain": "wheat corn tonnes harvest export",
    "ship": "port vessel crew",
}


def batches(number, size):
    for _ in range(number):
        labels = rng.choice(list(topics), size)
        yield [" ".join(rng.choice([*topics[label].split(), "said", "year"], 8)) for label in labels], labels


vectorizer = HashingVectorizer(n_features=2**10, alternate_sign=False, norm=None)
model = MultinomialNB(alpha=0.01)
X_test, y_test = next(batches(1, 50))
seen = 0
for texts, labels in batches(6, 20):
    model.partial_fit(vectorizer.transform(texts), labels, classes=sorted(topics))
    seen += len(texts)
    print(seen, model.score(vectorizer.transform(X_test), y_test), model.class_count_)
print(model.predict_proba(vectorizer.transform(X_test[:5])).round(9))
print(model.feature_count_.sum(axis=1))
