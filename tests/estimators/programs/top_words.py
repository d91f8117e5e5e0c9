"""The words that say most for each class, by feature_log_prob_."""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB

texts = [
    "rockets carry satellites into orbit",
    "the moon orbits the earth",
    "hockey players skate on ice",
    "the goal decided the hockey game",
    "a satellite watches the earth from orbit",
    "the players won the game on ice",
]
labels = np.array(["space", "space", "hockey", "hockey", "space", "hockey"])
vectorizer = CountVectorizer(binary=True)
model = BernoulliNB(alpha=0.1).fit(vectorizer.fit_transform(texts), labels)
names = vectorizer.get_feature_names_out()
for k, label in enumerate(model.classes_):
    best = np.argsort(model.feature_log_prob_[k], kind="stable")[-4:]
    print(label, *names[best], model.feature_log_prob_[k, best].round(9))
difference = model.feature_log_prob_[1] - model.feature_log_prob_[0]
print(*names[np.argsort(difference, kind="stable")[:3]], *names[np.argsort(difference, kind="stable")[-3:]])
print(model.class_log_prior_.round(9), model.feature_count_.sum(axis=1))
