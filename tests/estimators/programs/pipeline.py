"""Texts to classes in one pipeline, with a report."""

from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline

texts = [
    "the striker scored two goals",
    "parliament passed the budget",
    "the match ended in a draw",
    "the minister resigned today",
    "the team won the cup final",
    "voters chose a new president",
    "the goalkeeper saved a penalty",
    "the senate rejected the law",
]
labels = ["sport", "politics"] * 4
asked = ["the president of the senate", "a penalty in the cup final", "the budget", "two goals in the match"]
model = Pipeline([("counts", CountVectorizer()), ("tfidf", TfidfTransformer()), ("classify", MultinomialNB())])
model.fit(texts, labels)
print(model.predict(asked))
print(model.predict_proba(asked).round(9))
print(classification_report(labels, model.predict(texts)))
print(confusion_matrix(["politics", "sport", "politics", "sport"], model.predict(asked)))
print(model.score(texts, labels), model[-1].classes_, model.n_features_in_ if hasattr(model, "n_features_in_") else "")
