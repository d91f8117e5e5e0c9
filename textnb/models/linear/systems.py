"""Linear systems in the scatter Z'Z of centred rows Z (D, V), solved in the smaller of D and V, or iteratively.

    W = argmin |Z W - T|^2 + r |W|^2                       ``regression``, T (D, K)                        (1)
    W = (Z'Z + r I)^-1 B                                   ``inverse_times``, B (V, K)                     (2)

    primal     (Z'Z + r I) W = Z'T or B, by Cholesky                         (V, V)                        (3)
    dual       W = Z' (ZZ' + r I)^-1 T,  or  [B - Z' (ZZ' + r I)^-1 Z B] / r        (D, D)                 (4)
    iterative  conjugate gradients on (3), by products with Z alone          a few (V, K) and (D, K)       (5)

With r = 0 the inverses are pseudo-inverses, and W is the solution of least norm. (2) is then a solution only where B is
in the range of Z'Z; the caller checks that.

Where the smaller of D and V is at most LARGEST it decides between (3) and (4); beyond that it is (5), which stops at a
residual of 1e-10 of the right side. One that is above 1e-6 at the end is told of by a FitWarning.

Memory, beside X, a copy of it and W: for (3) and (4) up to four dense matrices of the smaller side, and seven where
r = 0 asks for eigenvectors: 0.5 and 0.9 GB with LARGEST rows. (5) makes no such matrix.
"""

import warnings
from collections.abc import Callable

import numpy as np

from textnb.errors import FitWarning
from textnb.models.linear.centred import Centred
from textnb.numerics import Floats, as_choice

LARGEST = 4000
SOLVERS = ("primal", "dual", "iterative")
_MOST_STEPS = 2000
_SMALL, _TOLERATED = 1e-10, 1e-6


def regression(Z: Centred, T: Floats, r: float, solver: str | None = None) -> Floats:
    """Eq. (1), (V, K). solver: one of SOLVERS; None for the one that fits the shape of Z.

    >>> Z = Centred.of(np.array([[0.0], [1.0], [2.0]]), np.zeros(3, int), np.ones(3))
    >>> regression(Z, np.array([[-1.0], [0.0], [1.0]]), r=2.0)
    array([[0.5]])
    """
    if _solver(Z, solver) == "dual":
        return Z.transposed_times(_solved(Z.kernel, T, r))
    return inverse_times(Z, Z.transposed_times(T), r, solver)


def inverse_times(Z: Centred, B: Floats, r: float, solver: str | None = None) -> Floats:
    """Eq. (2), (V, K)."""
    solver = _solver(Z, solver)
    if solver == "primal":
        return _solved(Z.gram, B, r) if r > 0 else least_norm(Z.gram, B, Z.squares)
    if solver == "iterative":
        return _conjugate_gradients(Z, B, r)
    kernel, projected = Z.kernel, Z.times(B)
    if r > 0:
        return (B - Z.transposed_times(_solved(kernel, projected, r))) / r
    return Z.transposed_times(_solved(kernel, projected, 0, power=2))


def squared_norm(Z: Centred) -> float:
    """|Z'Z|^2, the sum of its squared entries, which is that of ZZ'; without keeping either where both are large."""
    if _solver(Z, None) == "primal":
        return float((Z.gram**2).sum())
    return float(sum((block**2).sum() for _, block in Z.kernel_blocks()))


def _solver(Z: Centred, solver: str | None) -> str:
    if solver is None:
        n_rows, n_columns = Z.shape
        return "iterative" if min(Z.shape) > LARGEST else "primal" if n_columns <= n_rows else "dual"
    return as_choice(solver, "solver", SOLVERS)


def _solved(A: Floats, B: Floats, r: float, power: int = 1) -> Floats:
    """(A + r I)^-power B of a positive semi-definite A, which is overwritten; by pseudo-inverse where it must be."""
    A.flat[:: len(A) + 1] += r
    if r > 0:
        from scipy import linalg

        try:
            return np.asarray(linalg.cho_solve(linalg.cho_factor(A), B))
        except linalg.LinAlgError:  # r is below the rounding of A
            pass
    return _pseudo_inverse(A, power)(B)


def _pseudo_inverse(A: Floats, power: int = 1) -> Callable[[Floats], Floats]:
    values, vectors = np.linalg.eigh(A)
    kept = values > len(A) * np.finfo(float).eps * max(values.max(initial=0), 0)
    values, vectors = values[kept] ** power, vectors[:, kept]
    return lambda B: np.asarray(vectors @ ((vectors.T @ B) / values[:, np.newaxis]))


def least_norm(A: Floats, B: Floats, squares: Floats) -> Floats:
    """The solution of A W = B of least norm, A (V, V) positive semi-definite with the diagonal ``squares``.

    The rank is judged with every column scaled to 1, so that the units of columns do not matter. What the solution has
    in the null space of A is then taken off it.
    """
    sizes = np.sqrt(np.where(squares > 0, squares, 1.0))
    values, vectors = np.linalg.eigh(A / sizes / sizes[:, np.newaxis])
    full = values > len(A) * np.finfo(float).eps * max(values.max(initial=0), 0)
    scaled = vectors[:, full] @ ((vectors[:, full].T @ (B / sizes[:, np.newaxis])) / values[full, np.newaxis])
    W = scaled / sizes[:, np.newaxis]
    null, _ = np.linalg.qr(vectors[:, ~full] / sizes[:, np.newaxis])
    return np.asarray(W - null @ (null.T @ W))


def _conjugate_gradients(Z: Centred, B: Floats, r: float) -> Floats:
    """Each column of B on its own, all in step; scaled by the diagonal where r > 0 makes the solution the only one."""
    scale = 1 / (Z.squares + r)[:, np.newaxis] if r > 0 else np.ones((len(B), 1))
    W, residual = np.zeros_like(B), B.copy()
    direction = scale * residual
    fall = (residual * direction).sum(axis=0)
    wanted = np.linalg.norm(B, axis=0)
    for _ in range(_MOST_STEPS):
        open_ = np.linalg.norm(residual, axis=0) > _SMALL * wanted
        if not open_.any():
            return W
        image = Z.transposed_times(Z.times(direction)) + r * direction
        step = _ratio(fall, (direction * image).sum(axis=0)) * open_
        W += step * direction
        residual -= step * image
        before, fall = fall, (scale * residual**2).sum(axis=0)
        direction = scale * residual + _ratio(fall, before) * direction
    left = float(_ratio(np.linalg.norm(residual, axis=0), wanted).max())
    if left > _TOLERATED:
        words = (
            f"conjugate gradients left a residual of {left:.1e} after {_MOST_STEPS} steps; more l2 or shrinkage helps"
        )
        warnings.warn(words, FitWarning, stacklevel=2)
    return W


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
