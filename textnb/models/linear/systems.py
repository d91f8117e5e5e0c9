"""Linear systems in the scatter Z'W Z of centred rows Z (D, V) of weight w, in the smaller of D and V or iterative.

    A = argmin sum_i w_i |A'z_i - t_i|^2 + r |A|^2         ``regression``, T (D, K)                        (1)
    A = (Z'W Z + r I)^-1 B                                 ``inverse_times``, B (V, K)                     (2)

    primal     (Z'W Z + r I) A = Z'W T or B, by Cholesky                         (V, V)                    (3)
    dual       with Y = W^1/2 Z:  A = Y' (YY' + r I)^-1 W^1/2 T,  or
               [B - Y' (YY' + r I)^-1 Y B] / r                                   (D, D)                    (4)
    iterative  conjugate gradients on (3), by products with Z alone              a few (V, K) and (D, K)   (5)

With r = 0 the inverses are pseudo-inverses, and A is the solution of least norm. (2) is then a solution only where B is
in the range of Z'W Z; the caller checks that.

Where the smaller of D and V is at most LARGEST it decides between (3) and (4); beyond that it is (5), which stops at a
residual of 1e-10 of the right side. A residual above 1e-6 at the end gives a FitWarning.

Memory, beside X, a copy of it and A: for (3) and (4) up to four dense matrices of the smaller side, and seven where
r = 0 asks for eigenvectors: 0.5 and 0.9 GB with LARGEST rows. (5) makes no such matrix.
"""

import warnings

import numpy as np

from textnb.errors import FitWarning
from textnb.models.linear.centred import Centred
from textnb.numerics import Floats, check_choice

LARGEST = 4000
SOLVERS = ("primal", "dual", "iterative")
_MAX_STEPS = 2000
_SMALL_RESIDUAL, _MAX_RESIDUAL = 1e-10, 1e-6
NOT_SOLVED = "conjugate gradients left a residual of {residual:.1e} after {steps} steps; use more l2 or shrinkage"


def regression(Z: Centred, T: Floats, r: float, solver: str | None = None) -> Floats:
    """Solution of the ridge regression (1), (V, K). solver: one of SOLVERS; None chooses by the shape of Z.

    >>> Z = Centred.of(np.array([[0.0], [1.0], [2.0]]), np.ones(3))
    >>> regression(Z, np.array([[-1.0], [0.0], [1.0]]), r=2.0)
    array([[0.5]])
    """
    if _solver(Z, solver) == "dual":
        return _dual(Z, T, r)
    return inverse_times(Z, Z.transposed_times(Z.weight[:, np.newaxis] * T), r, solver)


def inverse_times(Z: Centred, B: Floats, r: float, solver: str | None = None) -> Floats:
    """Product (Z'W Z + r I)^-1 B of eq. (2), (V, K)."""
    solver = _solver(Z, solver)
    if solver == "primal":
        return _solved(Z.gram, B, r) if r > 0 else least_norm(Z.gram, B, Z.squares)
    if solver == "iterative":
        return _conjugate_gradients(Z, B, r)
    return (B - _dual(Z, Z.times(B), r)) / r if r > 0 else _dual(Z, Z.times(B), 0, power=2)


def _dual(Z: Centred, T: Floats, r: float, power: int = 1) -> Floats:
    """Product Y' (YY' + r I)^-power W^1/2 T of eq. (4), (V, K)."""
    roots, kernel = np.sqrt(Z.weight)[:, np.newaxis], Z.kernel
    kernel *= roots
    kernel *= roots.T
    return Z.transposed_times(roots * _solved(kernel, roots * T, r, power))


def squared_norm(Z: Centred) -> float:
    """Sum of the squared entries of Z'W Z, or of YY' in blocks, which is equal."""
    if _solver(Z, None) == "primal":
        return float((Z.gram**2).sum())
    return float(sum(Z.weight[rows] @ block**2 @ Z.weight for rows, block in Z.products()))


def _solver(Z: Centred, solver: str | None) -> str:
    if solver is None:
        n_rows, n_columns = Z.shape
        return "iterative" if min(Z.shape) > LARGEST else "primal" if n_columns <= n_rows else "dual"
    check_choice(solver, "solver", SOLVERS)
    return solver


def _solved(A: Floats, B: Floats, r: float, power: int = 1) -> Floats:
    """Product (A + r I)^-power B for a positive semi-definite A, which is overwritten; by pseudo-inverse if needed."""
    A.flat[:: len(A) + 1] += r
    if r > 0:
        from scipy import linalg

        try:
            return np.asarray(linalg.cho_solve(linalg.cho_factor(A), B))
        except linalg.LinAlgError:  # r is below the rounding of A
            pass
    values, vectors, _ = _eigenpairs(A)
    return np.asarray(vectors @ ((vectors.T @ B) / values[:, np.newaxis] ** power))


def _eigenpairs(A: Floats) -> tuple[Floats, Floats, Floats]:
    """Eigenvalues of a symmetric A that are not rounding, their eigenvectors, and those of the null space."""
    values, vectors = np.linalg.eigh(A)
    full = values > len(A) * np.finfo(float).eps * max(values.max(initial=0), 0)
    return values[full], vectors[:, full], vectors[:, ~full]


def least_norm(A: Floats, B: Floats, squares: Floats) -> Floats:
    """Solution of A W = B of least norm, A (V, V) positive semi-definite with the diagonal ``squares``.

    The rank is judged with every column scaled to 1, so that the units of columns do not matter. What the solution has
    in the null space of A is then taken off it.
    """
    sizes = np.sqrt(np.where(squares > 0, squares, 1.0))[:, np.newaxis]
    values, vectors, rest = _eigenpairs(A / sizes.T / sizes)
    W = vectors @ ((vectors.T @ (B / sizes)) / values[:, np.newaxis]) / sizes
    null, _ = np.linalg.qr(rest / sizes)
    return np.asarray(W - null @ (null.T @ W))


def _conjugate_gradients(Z: Centred, B: Floats, r: float) -> Floats:
    """Solution of (3) by conjugate gradients, all columns in step; preconditioned by the diagonal if r > 0."""
    scale = 1 / (Z.squares + r)[:, np.newaxis] if r > 0 else np.ones((len(B), 1))
    W, residual = np.zeros_like(B), B.copy()
    direction = scale * residual
    fall = (residual * direction).sum(axis=0)
    wanted = np.linalg.norm(B, axis=0)
    for _ in range(_MAX_STEPS):
        open_ = np.linalg.norm(residual, axis=0) > _SMALL_RESIDUAL * wanted
        if not open_.any():
            return W
        image = Z.gram_times(direction) + r * direction
        step = _ratio(fall, (direction * image).sum(axis=0)) * open_
        W += step * direction
        residual -= step * image
        before, fall = fall, (scale * residual**2).sum(axis=0)
        direction = scale * residual + _ratio(fall, before) * direction
    left = float(_ratio(np.linalg.norm(residual, axis=0), wanted).max())
    if left > _MAX_RESIDUAL:
        warnings.warn(NOT_SOLVED.format(residual=left, steps=_MAX_STEPS), FitWarning, stacklevel=2)
    return W


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
