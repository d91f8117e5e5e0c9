"""Repeats experiments of Fujimoto and Murata's paper on generalised independence: figures 1 and 4, table 6.

    .venv/bin/python scripts/experiments/unb_paper.py --uci FOLDER [--plots FOLDER] [--draws 50] [--jobs N]
    .venv/bin/python scripts/experiments/unb_paper.py --contours ex1 0.5 1 1.5 --plots FOLDER

FOLDER holds monks-1.train, monks-1.test, monks-2.train, monks-2.test, car.data and nursery.data of the UCI repository.
--draws 0 leaves out table 6. --plots needs matplotlib (textnb[figures]) and writes SVG files with text as text.

Figure 4: the joint KL divergence of the test part from the model, D(p*, p), against pi of ex1 with alpha = 0, for the
U-product over all attributes (model 1), over attributes 1 and 2 (model 2), and over attributes 3 to 6 (model 3).

Table 6: alpha by ten folds of the training part with the ordinary product, in steps of .01, then pi with that alpha,
both by joint KL; the divergence of the whole test part. CAR and NURSERY: 300 rows drawn at random, tested on all rows.
A class that no training row has makes the divergence infinite; the divergence of the rows of known classes is printed
beside it.

The cost to classification: accuracy and log loss on test rows of known classes, with pi = 1, pi by joint KL, and pi by
log loss, all with the same alpha.
"""

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from textnb.errors import FitWarning
from textnb.estimators import UNB
from textnb.estimators.unb_search import Grids, search_unb
from textnb.models.bregman.families import family_of
from textnb.readers import read_columns

MODELS = {"model 1": None, "model 2": [0, 1], "model 3": [2, 3, 4, 5]}
FIGURE_PIS = tuple(k / 50 for k in range(1, 151))
SHOWN_PIS = (0.02, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.96, 1.0, 1.1, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0)
FEWER_PIS = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.4, 1.6, 2.0, 2.5, 3.0)
PRINTED = {"MONKS1": (0.5796, 0.5340, 0.92), "MONKS2": (0.6520, 0.6386, 0.01)}
PRINTED |= {"CAR": (0.6307, 0.6242, 0.96), "NURSERY": (0.4321, 0.4141, 0.98)}


class Table(NamedTuple):
    """Rows of categories and their labels."""

    X: np.ndarray
    y: np.ndarray


class Answer(NamedTuple):
    """A model's joint KL over all test rows, over those of known classes, and how well it classifies the latter."""

    pi: float
    kl: float
    kl_known: float
    accuracy: float
    log_loss: float


class Result(NamedTuple):
    """alpha; then pi = 1, pi up to 1 by joint KL, pi by joint KL, pi by log loss; whether the third is flat."""

    alpha: float
    answers: tuple[Answer, ...]
    flat: bool


WAYS = ("NB", "pi <= 1 by joint KL", "pi by joint KL", "pi by log loss")


def monks(uci: Path, number: int, part: str) -> Table:
    X, _, _ = read_columns(uci / f"monks-{number}.{part}", header=False, delimiter=" ")
    return Table(X[:, 1:7], X[:, 0])


def answer(model: UNB, test: Table) -> Answer:
    known = np.isin(test.y, model.classes_)
    own = np.searchsorted(model.classes_, test.y[known])
    rows = np.arange(len(own))
    log_p = model.joint_log_proba(test.X[known])[rows, own]
    kl_known = divergence(Table(test.X[known], test.y[known]), log_p)
    posterior = model.predict_log_proba(test.X[known])
    accuracy = float((posterior.argmax(axis=1) == own).mean())
    return Answer(
        model.pi, kl_known if known.all() else np.inf, kl_known, accuracy, -float(posterior[rows, own].mean())
    )


def divergence(test: Table, log_p: np.ndarray) -> float:
    """sum of p* log p*/p, p* the shares of rows; log_p of each row."""
    rows = [" ".join([*x, y]) for x, y in zip(test.X, test.y, strict=True)]
    counts = np.unique(rows, return_counts=True)[1]
    return float((counts * np.log(counts / len(rows))).sum() / len(rows) - log_p.mean())


def result(train: Table, test: Table, pis: tuple[float, ...]) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        search = search_unb(*train, grids=Grids(pis=pis), criterion="joint-kl")
    alpha = search.params["alpha"]
    chosen = [
        1.0,
        min((pi for pi in pis if pi <= 1), key=lambda pi: search.by_pi[pi].joint_kl),
        search.params["pi"],
        min(pis, key=lambda pi: search.by_pi[pi].log_loss),
    ]
    return Result(alpha, tuple(answer(UNB(pi=pi, alpha=alpha).fit(*train), test) for pi in chosen), search.flat)


def drawn(table: Table, seed: int) -> Result:
    rows = np.random.default_rng(seed).choice(len(table.y), 300, replace=False)
    return result(Table(table.X[rows], table.y[rows]), table, FEWER_PIS)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--uci", type=Path)
    arguments.add_argument("--plots", type=Path)
    arguments.add_argument("--draws", type=int, default=50)
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--contours", nargs="+", metavar=("FAMILY", "PI"))
    given = arguments.parse_args()
    if given.contours:
        plot_contours(given.contours[0], [float(pi) for pi in given.contours[1:]], given.plots)
    if given.uci:
        figure_4(given.uci, given.plots)
        if given.draws:
            table_6(given.uci, given.draws, given.jobs)


def figure_4(uci: Path, plots: Path | None) -> None:
    curves = {}
    for number in (1, 2):
        train, test = monks(uci, number, "train"), monks(uci, number, "test")
        for name, attributes in MODELS.items():
            models = (UNB(pi=pi, alpha=0.0, attributes=attributes).fit(*train) for pi in FIGURE_PIS)
            curves[number, name] = [answer(model, test).kl for model in models]
        print(f"\nfigure 4, MONKS{number}: joint KL against pi of ex1, alpha = 0")
        print(f"{'pi':>6}" + "".join(f"{name:>10}" for name in MODELS))
        for i, pi in enumerate(FIGURE_PIS):
            if pi in SHOWN_PIS:
                print(f"{pi:6.2f}" + "".join(f"{curves[number, name][i]:10.4f}" for name in MODELS))
        for name in MODELS:
            curve = curves[number, name]
            one, least = FIGURE_PIS.index(1.0), int(np.argmin(curve))
            gain, below = curve[one] - curve[least], curve[one] - min(curve[: one + 1])
            print(
                f"{name}: least {curve[least]:.4f} at pi {FIGURE_PIS[least]:.2f}, {gain:.4f} below NB; "
                f"with pi <= 1 {below:.4f} below NB"
            )
    if plots:
        plot_figure_4(curves, plots)


def table_6(uci: Path, draws: int, jobs: int) -> None:
    print("\ntable 6: joint KL, printed and measured")
    results = {}
    for number in (1, 2):
        found = result(monks(uci, number, "train"), monks(uci, number, "test"), FIGURE_PIS)
        results[f"MONKS{number}"] = [found]
        uniform = flat(monks(uci, number, "train"), monks(uci, number, "test"))
        print(f"MONKS{number}: a uniform p(x|y) has a joint KL of {uniform:.4f}")
    for name, file in (("CAR", "car.data"), ("NURSERY", "nursery.data")):
        table = Table(*read_columns(uci / file, label=-1, header=False)[:2])
        with ProcessPoolExecutor(jobs) as pool:
            results[name] = list(pool.map(partial(drawn, table), range(draws)))
    for name, found in results.items():
        report(name, found)


def report(name: str, found: list[Result]) -> None:
    nb, unb, pi = PRINTED[name]
    print(f"\n{name}: printed NB {nb:.4f}, U-NB {unb:.4f} (pi {pi})")
    infinite = sum(np.isinf(each.answers[0].kl) for each in found)
    print(
        f"  {len(found)} training set(s), {infinite} with an infinite KL for NB; "
        f"alpha {quantiles([each.alpha for each in found], 2)}; "
        f"p(x|y) almost uniform in {sum(each.flat for each in found)}"
    )
    print(f"  {'':22}{'pi':>20}{'KL, all rows':>26}{'KL, known classes':>26}{'accuracy':>26}{'log loss':>26}")
    for k, way in enumerate(WAYS):
        columns = zip(*(each.answers[k] for each in found), strict=True)
        widths, digits = (20, 26, 26, 26, 26), (2, 4, 4, 4, 4)
        cells = (f"{quantiles(column, d):>{w}}" for column, w, d in zip(columns, widths, digits, strict=True))
        print(f"  {way:22}{''.join(cells)}", flush=True)
    gains = [each.answers[0].kl_known - each.answers[2].kl_known for each in found]
    print(f"  KL of known classes, NB less pi by joint KL, set by set: {quantiles(gains, 4)}")
    for column in ("accuracy", "log_loss"):
        costs = [getattr(each.answers[2], column) - getattr(each.answers[3], column) for each in found]
        print(f"  {column}, pi by joint KL less pi by log loss, set by set: {quantiles(costs, 4)}", flush=True)


def flat(train: Table, test: Table) -> float:
    """The joint KL of p(y) 1/M, where the test rows are the M cells."""
    classes, counts = np.unique(train.y, return_counts=True)
    return -float(np.log(counts / counts.sum())[np.searchsorted(classes, test.y)].mean())


def quantiles(values: list[float], digits: int) -> str:
    """A single value, or the median with the 10 % and 90 % quantiles."""
    values = sorted(value for value in values if not np.isnan(value))  # the difference of two infinite ones is none
    low, middle, high = (values[round(q * (len(values) - 1))] for q in (0.1, 0.5, 0.9))
    if len(values) == 1:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def plot_figure_4(curves: dict, plots: Path) -> None:
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for number, axis in zip((1, 2), axes, strict=True):
        for name, style in zip(MODELS, ("-", "--", ":"), strict=True):
            axis.plot(FIGURE_PIS, curves[number, name], style, label=name)
        at_one = curves[number, "model 1"][FIGURE_PIS.index(1.0)]
        axis.axvline(1.0, color="grey", linewidth=0.5)
        axis.set(title=f"MONKS{number}", xlabel="pi", ylabel="joint KL", ylim=(at_one - 0.08, at_one + 0.2))
        axis.legend()
    saved(figure, plots / "unb_figure4.svg")


def plot_contours(family: str, pis: list[float], plots: Path) -> None:
    """Figure 1: contours of u(xi(z1) + xi(z2)) over the unit square, where u has a value."""
    plt = pyplot()
    z = np.linspace(0.005, 1.0, 120)
    figure, axes = plt.subplots(1, len(pis), figsize=(3.2 * len(pis), 3.2), layout="constrained", squeeze=False)
    for pi, axis in zip(pis, axes[0], strict=True):
        u = family_of(family, pi)
        sums = np.add.outer(u.xi(z), u.xi(z))
        heights = u.u(np.where(u.z_domain.holds(sums), sums, u.xi(1.0)))
        heights = np.where(u.z_domain.holds(sums) & (heights >= 0), heights, np.nan)
        lines = axis.contour(z, z, heights, levels=np.arange(1, 10) / 10)
        axis.clabel(lines, fontsize=7)
        axis.set(title=f"{family}, pi = {pi:g}", xlabel="z1", ylabel="z2", aspect="equal")
    saved(figure, plots / f"unb_contours_{family}.svg")


def pyplot():
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "textnb"})
    from matplotlib import pyplot

    return pyplot


def saved(figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    print(f"written: {path.name}")


if __name__ == "__main__":
    main()
