"""How much the accuracy falls when a column is shuffled."""

from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

iris = load_iris(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(iris.data, iris.target, random_state=0)
model = GaussianNB().fit(X_train, y_train)
result = permutation_importance(model, X_test, y_test, n_repeats=10, random_state=0)
for i in result.importances_mean.argsort()[::-1]:
    print(f"{iris.feature_names[i]:20} {result.importances_mean[i]:.6f} +/- {result.importances_std[i]:.6f}")
print(model.score(X_test, y_test), (y_test != model.predict(X_test)).sum())
print(model.feature_names_in_)
