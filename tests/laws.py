"""What holds for every kind of statistics that merge (``+``) and forget (``-``), and documents dealt out into parts."""

from operator import eq

from hypothesis import strategies as st


def check_laws(x, y, z, zero, same=eq):
    """Zero is neutral, + is commutative and associative, - undoes +; ``same`` says when two are equal."""
    assert same(x + zero, x)
    assert same(zero + x, x)
    assert same(x - zero, x)
    assert same(x + y, y + x)
    assert same((x + y) + z, x + (y + z))
    assert same((x + y) - y, x)
    assert same(x - x, zero)


@st.composite
def dealt_out(draw, documents, n_parts=4):
    """The documents of a strategy, and the same in any order, dealt out into parts, of which some may be empty."""
    whole = draw(documents)
    part_of = draw(st.lists(st.integers(0, n_parts - 1), min_size=len(whole), max_size=len(whole)))
    shuffled = list(zip(draw(st.permutations(whole)), part_of, strict=True))
    return whole, [[each for each, part in shuffled if part == number] for number in range(n_parts)]
