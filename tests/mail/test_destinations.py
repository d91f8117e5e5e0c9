"""Where messages go by the verdict."""

import pytest

from textnb.errors import InputError
from textnb.mail.decision import Verdict
from textnb.mail.destinations import Destinations, parse_class_pairs

CLASSES = ["ham", "spam", "仕事"]


def test_a_sure_message_goes_to_the_folder_of_its_class_and_others_stay():
    to = Destinations(parse_class_pairs(["spam=Junk", "仕事=仕事 2026"], CLASSES, "--move"))
    assert to(Verdict("spam", 1.0, unsure=False)) == "Junk"
    assert to(Verdict("仕事", 1.0, unsure=False)) == "仕事 2026"
    assert to(Verdict("ham", 1.0, unsure=False)) is None
    assert to(Verdict("spam", 0.5, unsure=True)) is None
    assert to.names == ["Junk", "仕事 2026"]


def test_the_unsure_have_a_folder_where_one_is_named():
    to = Destinations({name: name for name in CLASSES}, unsure="Look")
    assert to(Verdict("spam", 0.5, unsure=True)) == "Look"
    assert to(Verdict("spam", 0.5, unsure=False)) == "spam"
    assert to.names == ["Look", *CLASSES]


def test_an_equals_sign_may_be_part_of_either_name():
    assert parse_class_pairs(["spam=a=b"], CLASSES, "--move") == {"spam": "a=b"}
    assert parse_class_pairs(["a=b=c"], ["a=b", "d"], "--move") == {"a=b": "c"}
    assert parse_class_pairs(["=x"], ["", "d"], "--move") == {"": "x"}


@pytest.mark.parametrize(
    ("pairs", "error"),
    [
        (["Junk"], "such as ham=NAME, not 'Junk'"),
        (["spma=Junk"], "--move spma=Junk: 'spma' is not among the model's classes: ham, spam, 仕事"),
        (["spam="], "--move spam=: write a name after '='"),
        (["spam=Junk", "spam=Bin"], "'spam' twice: 'Junk' and 'Bin'"),
    ],
)
def test_what_cannot_be_meant_is_refused(pairs, error):
    with pytest.raises(InputError) as refused:
        parse_class_pairs(pairs, CLASSES, "--move")
    assert error in str(refused.value)


def test_the_folder_of_the_unsure_has_a_name():
    with pytest.raises(InputError, match="name a folder"):
        Destinations(unsure="")
