"""Draws: the sums over terms and lengths that the evidence of a Dirichlet prior needs, with its slopes (digamma).

A draw i (a document, or the pooled counts of a class) has counts c_ij and length n_i. With A = sum_j alpha_j and
(a)_n = a (a+1) ... (a+n-1) the rising power,

    log p(draws | alpha) = sum_ij log (alpha_j)_c_ij - sum_i log (A)_n_i                                      (1)
    d/d alpha_j          = f_j(alpha_j) - S(A)                                                                (2)
    f_j(a) = sum_i psi(a + c_ij) - psi(a) = sum_t N_j(t) / (a + t),   N_j(t) = number of draws with c_ij > t  (3)
    S(A)   = sum_i psi(A + n_i) - psi(A)                                                                      (4)

If one document at a time is left out, with tau_kj the count of term j in class k and N_k = sum_j tau_kj, the left-out
documents have

    sum_i log p(i | the others of its class) = sum_ij c_ij log(tau_kj - c_ij + alpha_j) - sum_i n_i log(N_k - n_i + A)
    f_j(a) = sum_i c_ij / (tau_kj - c_ij + a),   S(A) = sum_i n_i / (N_k - n_i + A)                           (5)

Terms with equal N_j have equal f_j and so equal alpha_j: they form one group. The cost of an evaluation grows with the
variety of counts, not with the number of draws.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms, DocumentHistogram
from textnb.counts.matrix import CSR, are_whole, canonical
from textnb.extension import cached_property, sparse
from textnb.numerics import GOLDEN_RATIO_64, Floats, Ints, log_rising, log_rising_slopes, mix_bits

_MAX_TAILS = 1 << 24  # 128 MiB per array


@dataclass(frozen=True, eq=False)
class Draws:
    """Groups of terms, and lengths of draws.

    whole: True for whole counts that are not huge; then ``offset`` is t and ``weight`` is N(t), group after group.
    Otherwise ``offset`` is a count and ``weight`` the number of draws that have it. starts: where each group begins.
    multiplicity: number of terms per group. group: group of each of the V terms, -1 if no draw has the term. sizes,
    n_draws: lengths, and the number of draws of each length. totals: count of a term of each group over all draws.
    left_out: True for the sums of eq. (5); ``offset`` and ``sizes`` are then the counts of the other documents,
    ``weight`` and ``n_draws`` those of the left-out ones.
    """

    whole: bool
    offset: Floats
    weight: Floats
    starts: Ints
    multiplicity: Floats
    group: Ints
    sizes: Floats
    n_draws: Floats
    totals: Floats
    left_out: bool = False

    @classmethod
    def of_documents(cls, histogram: DocumentHistogram) -> "Draws":
        """Draws from the histogram of documents, each of them a draw."""
        times, lengths, unit = histogram.times, histogram.lengths.tocoo(), histogram.unit
        present = np.flatnonzero(np.diff(times.indptr))
        rows = times[present]
        first, number = _alike(rows.indices.astype(np.uint64), rows.data.astype(np.uint64), rows.indptr)
        multiplicity = np.bincount(number, minlength=len(first))
        group = np.full(times.shape[0], -1, np.int64)
        group[present] = number
        kinds = rows[first].tocoo()
        row, offset, weight = kinds.row.astype(np.int64), kinds.col + 1.0, kinds.data
        totals = np.bincount(row, weight * offset, len(first)).astype(float) * unit
        whole = unit == 1 and _largest(rows[first]).sum() <= _MAX_TAILS
        if whole:
            row, offset, weight = _tails(row, kinds.col.astype(np.int64), weight)
        used = lengths.col > 0  # an empty draw carries no information
        return cls(
            whole, offset * unit, weight.astype(float), _starts(row), multiplicity.astype(float), group,
            lengths.col[used] * unit, lengths.data[used].astype(float), totals,
        )  # fmt: skip

    @classmethod
    def of_rows(cls, X: CSR, unit: float = 1.0) -> "Draws":
        """Draws from the rows of X; counts need not be whole."""
        if are_whole(X.data):
            return cls.of_documents(DocumentHistogram.of(X, unit=unit))
        return cls.of_reals(X * unit, np.ones(X.shape[0]))

    @classmethod
    def of_reals(cls, X: CSR, weight: Floats) -> "Draws":
        """Draws from the rows of X, each with a weight; neither counts nor weights need be whole."""
        X = canonical(X)
        columns, lengths = sparse.csc_array(X), np.asarray(X.sum(axis=1))
        present = np.flatnonzero(np.diff(columns.indptr))
        group = np.full(columns.shape[1], -1, np.int64)
        group[present] = np.arange(len(present))
        totals = np.bincount(np.repeat(np.arange(len(present)), np.diff(columns.indptr)[present]),
                             columns.data * weight[columns.indices], len(present))  # fmt: skip
        used = lengths > 0
        return cls(
            False, columns.data.astype(float), weight[columns.indices], columns.indptr[present].astype(np.int64),
            np.ones(len(present)), group, lengths[used].astype(float), weight[used], totals.astype(float),
        )  # fmt: skip

    @classmethod
    def of_left_out(cls, counts: ClassCounts, histograms: ClassHistograms) -> "Draws":
        """Each document against the others of its class, eq. (5)."""
        unit, (of_class, row, column, number), lengths = counts.unit, histograms.times, histograms.lengths
        weight = (number * (column + 1)).astype(np.float64)
        offset = _counts_at(counts, of_class, row) - (column + 1)
        gone = (lengths.number * lengths.column).astype(np.float64)
        rest = np.asarray(counts.terms.sum(axis=1), np.float64)[lengths.of_class] - lengths.column
        order = np.argsort(row, kind="stable")
        row = row[order].astype(np.int64)
        starts = _starts(row)
        group = np.full(counts.n_terms, -1, np.int64)
        group[row[starts]] = np.arange(len(starts))
        totals = np.asarray(counts.terms.sum(axis=0))[row[starts]] * unit
        return cls(
            True, offset[order] * unit, weight[order] * unit, starts, np.ones(len(starts)), group,
            rest[gone > 0] * unit, gone[gone > 0] * unit, totals, left_out=True,
        )  # fmt: skip

    def pooled(self) -> "Draws":
        """Draws with all terms in one group, for an alpha that they share."""
        each = np.diff(self.starts, append=len(self.offset))
        offset, place = np.unique(self.offset, return_inverse=True)
        weight = np.bincount(place, self.weight * np.repeat(self.multiplicity, each), len(offset)).astype(float)
        one, total = np.ones(1), np.array([weighted_sum(self.multiplicity, self.totals)])
        group = np.minimum(self.group, 0)
        start = np.zeros(min(1, len(offset)), np.int64)
        return replace(self, offset=offset, weight=weight, starts=start, multiplicity=one, group=group, totals=total)

    def grouped(self) -> "Draws":
        """Draws in which terms of equal sums share a group; for those of ``of_left_out``, one group per term."""
        row = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.offset)))
        order = np.lexsort((self.offset, row))
        row, offset = row[order], self.offset[order]
        distinct = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(offset, prepend=-1.0) != 0))
        weight = np.add.reduceat(self.weight[order], distinct) if len(distinct) else self.weight
        row, offset = row[distinct], offset[distinct]
        starts = _starts(row)
        first, kind = _alike(offset.view(np.uint64), weight.view(np.uint64), np.append(starts, len(row)))
        is_first = np.zeros(len(starts), bool)
        is_first[first] = True
        place = np.append((np.cumsum(is_first) - 1)[first][kind], -1)  # groups in the order of their first terms
        kept = is_first[row]
        return replace(
            self,
            offset=offset[kept],
            weight=weight[kept],
            starts=_starts(row[kept]),
            multiplicity=np.bincount(place[:-1], minlength=len(first)).astype(float),
            group=place[self.group],
            totals=self.totals[is_first],
        )

    @property
    def mean_length(self) -> float:
        """Mean length of a draw; for left-out documents the sum of all lengths."""
        if self.left_out:
            return float(self.n_draws.sum())
        return weighted_sum(self.n_draws, self.sizes) / float(self.n_draws.sum())

    @property
    def n_tokens(self) -> float:
        """Sum of all lengths."""
        return float(self.n_draws.sum()) if self.left_out else weighted_sum(self.n_draws, self.sizes)

    @cached_property
    def firsts(self) -> Floats:
        """Limit of a f_j(a) as a falls to 0: the number of draws that have a term of each group.

        Of left-out documents, the count of the term in documents that are the only ones with it in their class.
        """
        is_first = self.offset == 0 if self.whole else np.ones(len(self.offset), bool)
        return self.summed(np.where(is_first, self.weight, 0.0))

    @cached_property
    def rest(self) -> float:
        """Evidence of all but ``firsts`` as alpha falls to 0; -inf if a draw has a first term beside other terms."""
        is_first = self.sizes == 0 if self.left_out else np.ones(len(self.sizes), bool)
        n_firsts = weighted_sum(self.multiplicity, self.firsts)
        if not np.isclose(n_firsts, self.n_draws[is_first].sum(), rtol=1e-12, atol=0):
            return -np.inf
        if not self.left_out:
            return 0.0  # every draw repeats one term
        terms = weighted_sum(
            self.multiplicity, self.summed(self.weight * np.log(np.where(self.offset > 0, self.offset, 1)))
        )
        return terms - weighted_sum(self.n_draws, np.log(np.where(self.sizes > 0, self.sizes, 1)))

    @property
    def range_of_totals(self) -> tuple[float, float]:
        """Sums A of alpha between which the evidence can have several maxima."""
        if self.left_out:
            sizes = np.append(self.sizes[self.sizes > 0], self.n_tokens)
            return 1e-3 * float(sizes.min()), 1e3 * float(sizes.max())
        # S(A) < n_draws / A + sum_i (1 + log n_i), and f_j(a) > firsts_j / a for counts of at least 1
        logs = weighted_sum(self.n_draws, 1 + np.log(np.maximum(self.sizes, 1)))
        excess = weighted_sum(self.multiplicity, self.firsts) - float(self.n_draws.sum())
        low = 0.1 * excess / logs if self.rest == -np.inf else 1e-3 * self.mean_length
        return low, 1e3 * float(self.sizes.max())

    @property
    def n_terms(self) -> int:
        """V, including terms that no draw has."""
        return len(self.group)

    def slopes(self, alpha: Floats) -> tuple[Floats, Floats]:
        """f and f' of each group at its alpha, eq. (3)."""
        a = np.repeat(alpha, np.diff(self.starts, append=len(self.offset)))
        if self.whole:
            inverse = 1 / (a + self.offset)
            terms = self.weight * inverse
            return self.summed(terms), -self.summed(terms * inverse)
        f, slope = log_rising_slopes(a, self.offset)
        return self.summed(self.weight * f), self.summed(self.weight * slope)

    def length_slopes(self, total: float) -> tuple[float, float]:
        """S and S' at A, eq. (4)."""
        if self.left_out:
            inverse = 1 / (total + self.sizes)
            return weighted_sum(self.n_draws, inverse), -weighted_sum(self.n_draws, inverse * inverse)
        s, slope = log_rising_slopes(total, self.sizes)
        return weighted_sum(self.n_draws, s), weighted_sum(self.n_draws, slope)

    def log_evidence(self, alpha: Floats, total: float) -> float:
        """Log probability of the sequences, eq. (1); total is A."""
        a = np.repeat(alpha, np.diff(self.starts, append=len(self.offset)))
        logs = self.weight * (np.log(a + self.offset) if self.whole else log_rising(a, self.offset))
        of_lengths = np.log(total + self.sizes) if self.left_out else log_rising(total, self.sizes)
        lengths = weighted_sum(self.n_draws, of_lengths)
        return weighted_sum(self.multiplicity, self.summed(logs)) - lengths

    def spread(self, alpha: Floats, absent: float = 0.0) -> Floats:
        """Alpha of each term (V,) from that of its group; ``absent`` for a term that no draw has."""
        return np.append(alpha, absent)[self.group]

    def summed(self, values: Floats) -> Floats:
        """Sum of the values of each group."""
        return np.add.reduceat(values, self.starts) if len(values) else np.zeros(0)


def _counts_at(counts: ClassCounts, of_class: Ints, term: Ints) -> Floats:
    """Counts of terms in classes, by number, (E,); none of them is 0."""
    terms = canonical(counts.terms)
    stored = np.repeat(np.arange(terms.shape[0]), np.diff(terms.indptr)) * terms.shape[1] + terms.indices
    return np.asarray(terms.data[np.searchsorted(stored, of_class * terms.shape[1] + term)], np.float64)


def weighted_sum(weights: Floats, values: Floats) -> float:
    """sum_g weights_g values_g; not a dot product, which would start the threads of BLAS."""
    return float((weights * values).sum())


_TIMES_FACTOR = np.uint64(0xC2B2AE3D27D4EB4F)
_SHIFTS = (29, 29, 32)
"""They order the groups, and so the sums, as in version 0.1.0: answers of its files stay the same to the last digit."""


def _alike(keys: NDArray[np.uint64], values: NDArray[np.uint64], indptr: Ints) -> tuple[Ints, Ints]:
    """Equal rows of keys and values, which start and end at ``indptr``: (first row of each kind, kind of each row)."""
    lengths = np.diff(indptr)
    pairs = (keys + np.uint64(1)) * GOLDEN_RATIO_64 ^ values * _TIMES_FACTOR
    mixed = mix_bits(pairs, _SHIFTS)  # sums of these differ with the set of pairs
    sums = np.add.reduceat(mixed, indptr[:-1]) if len(keys) else np.zeros(0, np.uint64)
    _, first, kind = np.unique(sums, return_index=True, return_inverse=True)
    same = lengths == lengths[first][kind]
    if same.all():
        at = np.arange(len(keys)) - np.repeat(indptr[:-1] - indptr[first[kind]], lengths)
        same = (keys == keys[at]) & (values == values[at])
    if not same.all():  # two sums collided: group nothing
        every = np.arange(len(lengths))
        return every, every
    return first, kind.reshape(-1)


def _tails(row: Ints, below: Ints, times: Ints) -> tuple[Ints, Ints, Ints]:
    """(row, t, N(t)) for every t below the largest count of a row, from the number of draws with count below + 1."""
    is_first = np.diff(row, prepend=-1) != 0
    ends = np.append(np.flatnonzero(is_first)[1:], len(row))
    sums = np.append(0, np.cumsum(times))
    at_least = sums[ends][np.cumsum(is_first) - 1] - sums[:-1]
    before = np.where(is_first, 0, np.append(0, below[:-1] + 1))
    run = below + 1 - before
    t = np.arange(run.sum()) - np.repeat(np.cumsum(run) - run - before, run)
    return np.repeat(row, run), t, np.repeat(at_least, run)


def _largest(times: CSR) -> Floats:
    """Largest count of each row; no row is empty."""
    return np.asarray(times.indices[times.indptr[1:] - 1] + 1.0)


def _starts(row: Ints) -> Ints:
    return np.flatnonzero(np.diff(row, prepend=-1))
