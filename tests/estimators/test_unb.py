import numpy as np
import pytest

from textnb.errors import FitWarning, InputError
from textnb.estimators import UNB, CategoricalNB
from textnb.estimators.unb_search import Grids, search_unb
from textnb.readers import read_columns

RNG = np.random.default_rng(3)
Y = RNG.choice(["x", "y", "z"], 150, p=[0.5, 0.3, 0.2])
X = (RNG.integers(0, 3, (150, 4)) + (RNG.random((150, 4)) < 0.5) * (Y == "x")[:, np.newaxis]) % 4


def test_with_pi_one_it_is_naive_bayes():
    for alpha in (0.0, 0.3, 1.0):
        ours, theirs = UNB(alpha=alpha).fit(X, Y), CategoricalNB(alpha=alpha).fit(X, Y)
        np.testing.assert_allclose(ours.joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=0, atol=1e-10)
        assert ours.normaliser_ == "exact"


def test_the_joint_has_mass_one():
    cells = np.stack(np.meshgrid(*[np.arange(4)] * 4), axis=-1).reshape(-1, 4)
    for params in ({"pi": 0.5}, {"pi": 2.0, "norm": "m"}, {"family": "ex4", "attributes": [1, 3]}):
        fitted = UNB(**params).fit(X, Y)
        assert np.exp(fitted.joint_log_proba(cells)).sum() == pytest.approx(1, abs=1e-12)
        assert fitted.normaliser_ == "enumerated"


def test_many_attributes_are_approximated_and_say_so():
    wide = np.hstack([X, X, X[::-1]])
    fitted = UNB(pi=0.9).fit(wide, Y)
    assert fitted.normaliser_ == "approximated"
    one = UNB(pi=1 - 1e-9).fit(wide, Y)
    np.testing.assert_allclose(one.joint_log_proba(wide), UNB().fit(wide, Y).joint_log_proba(wide), atol=1e-5)
    assert fitted.score(wide, Y) > 0.5


def test_strings_and_numbers_are_the_same_categories():
    names = np.array(["い", "ろ", "は", "に"])
    names.sort()
    np.testing.assert_array_equal(
        UNB(pi=0.7).fit(names[X], Y).predict_proba(names[X]), UNB(pi=0.7).fit(X, Y).predict_proba(X)
    )


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"pi": 0}, r"ex1: pi = 0 is outside \(0, inf\)"),
        ({"family": "ex9"}, "unknown family 'ex9'"),
        ({"alpha": -1}, "alpha"),
        ({"pi": 0.5, "norm": "none"}, "unknown norm 'none'"),
        ({"attributes": [4]}, "column 4; the columns are 0 to 3"),
    ],
)
def test_wrong_parameters_are_refused_by_fit(params, why):
    with pytest.raises(InputError, match=why):
        UNB(**params).fit(X, Y)


def test_missing_values_are_refused_and_unseen_ones_ignored():
    fitted = UNB(pi=0.7).fit(X, Y)
    with pytest.raises(InputError, match="row 0, column 1 is missing"):
        fitted.predict([[0, None, 1, 2]])
    np.testing.assert_allclose(fitted.predict_proba([[9, 9, 9, 9]])[0], fitted.statistics_.documents / 150)


@pytest.fixture
def monks(public_corpora):
    def read(number, part):
        path = public_corpora / "uci" / f"monks-{number}.{part}"
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        cells, _, _ = read_columns(path, header=False, delimiter=" ")
        return cells[:, 1:7], cells[:, 0]

    return read


def joint_kl(fitted, X, y):
    """D(p*, p) where every row is another cell."""
    own = np.searchsorted(fitted.classes_, y)
    return -np.log(len(y)) - fitted.joint_log_proba(X)[np.arange(len(y)), own].mean()


@pytest.mark.parametrize(("number", "printed"), [(1, 0.5796), (2, 0.6520)])
def test_naive_bayes_on_monks_has_the_divergence_that_is_printed(monks, number, printed):
    train = monks(number, "train")
    search = search_unb(*train, grids=Grids(pis=[1.0]), criterion="joint-kl")
    assert joint_kl(UNB(**search.params).fit(*train), *monks(number, "test")) == pytest.approx(printed, abs=5e-5)


def test_on_monks_the_product_that_knows_of_the_dependence_gains(monks):
    train, test = monks(1, "train"), monks(1, "test")
    gains = {}
    for name, attributes in (("all", None), ("dependent", [0, 1]), ("others", [2, 3, 4, 5])):
        kl = [joint_kl(UNB(pi=pi, alpha=0.0, attributes=attributes).fit(*train), *test) for pi in (1.0, 1.5)]
        gains[name] = kl[0] - kl[1]
    assert gains["all"] > 0.05
    assert gains["dependent"] > 0.02
    assert gains["others"] < 0.01


def losses_by_hand(alpha, pi, folds):
    """Mean log loss and joint KL over the folds, each fitted anew; every value is in every rest."""
    log_loss = kl = 0.0
    for k in np.unique(folds):
        held = folds == k
        fitted = UNB(pi=pi, alpha=alpha).fit(X[~held], Y[~held])
        own = np.searchsorted(fitted.classes_, Y[held])
        rows = np.arange(held.sum())
        log_loss -= fitted.predict_log_proba(X[held])[rows, own].sum()
        counts = np.unique(np.column_stack([X[held], own]), axis=0, return_counts=True)[1]
        kl += (counts * np.log(counts / held.sum())).sum() - fitted.joint_log_proba(X[held])[rows, own].sum()
    return log_loss / len(Y), kl / len(Y)


def test_the_search_is_cross_validation_step_by_step():
    folds = np.arange(150) % 4
    for criterion, place in (("log-loss", 0), ("joint-kl", 1)):
        search = search_unb(X, Y, grids=Grids([0.1, 1.0], [0.8, 1.0, 1.2]), folds=folds, criterion=criterion)
        alpha, pi = search.params["alpha"], search.params["pi"]
        for each, found in search.by_alpha.items():
            np.testing.assert_allclose(found, losses_by_hand(each, 1.0, folds), rtol=1e-9)
        for each, found in search.by_pi.items():
            np.testing.assert_allclose(found, losses_by_hand(alpha, each, folds), rtol=1e-9)
        assert search.by_alpha[alpha][place] == min(each[place] for each in search.by_alpha.values())
        assert search.by_pi[pi][place] == min(each[place] for each in search.by_pi.values())
        UNB(**search.params).fit(X, Y)


def test_the_search_keeps_the_model_and_shows_its_progress():
    seen = []
    search = search_unb(
        X,
        Y,
        UNB(family="ex2", attributes=[0, 1], norm="m", prior="uniform"),
        grids=Grids([1.0], [-0.5, 1.9, 40.0]),
        folds=3,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert search.params == {
        "family": "ex2",
        "pi": search.params["pi"],
        "alpha": 1.0,
        "attributes": [0, 1],
        "norm": "m",
        "prior": "uniform",
    }
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert search.by_pi[40.0].joint_kl == np.inf  # it leaves the domain


def test_a_fit_that_has_become_flat_is_warned_of():
    rng = np.random.default_rng(0)
    noise, y = rng.integers(0, 3, (60, 5)), np.arange(60) % 2
    with pytest.warns(FitWarning, match=r"with pi = 3 p\(x\|y\) is almost uniform \(\d\.\d% of its"):
        search = search_unb(noise, y, grids=Grids([0.5], [1.0, 3.0]), criterion="joint-kl")
    assert search.flat
    assert 0 < search.information < 0.1


def test_a_class_of_one_row_is_not_scored_and_does_no_harm():
    labels = Y.copy().astype("<U6")
    labels[0] = "single"
    search = search_unb(X, labels, grids=Grids([0.5], [0.9, 1.0]), folds=5)
    assert np.isfinite(search.by_pi[1.0]).all()


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"criterion": "accuracy"}, "unknown criterion 'accuracy'; use log-loss or joint-kl"),
        ({"folds": 1}, "folds must be a whole number from 2"),
        ({"folds": np.zeros(3, int)}, "one per row"),
        ({"folds": np.zeros(150, int)}, "at least two folds"),
        ({"grids": Grids([])}, "a grid is empty"),
        ({"grids": Grids([1.0], [])}, "a grid is empty"),
        ({"model": UNB(family="ex7")}, "unknown family 'ex7'; use kl"),
        ({"model": UNB(family="ex2"), "grids": Grids([1.0], [50.0])}, r"infinite for all of \[50.0\]"),
    ],
)
def test_a_search_that_cannot_be_done_is_refused(params, why):
    with pytest.raises(InputError, match=why):
        search_unb(X, Y, **params)
