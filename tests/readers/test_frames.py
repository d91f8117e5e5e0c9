"""Data frames and columns of pandas, polars and pyarrow."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from small_models import BY_EVIDENCE

from textnb import TextClassifier, read_corpus
from textnb.errors import InputError, ReadingWarning
from textnb.readers.frames import column, column_names, plain_values, text_columns

TEXTS = ["犬 が 走る", "雨 が 降る", "犬 と 猫", "風 と 雨"]
LABELS = ["動物", "天気", "動物", "天気"]
COLUMNS = {"番号": [1, 2, 3, 4], "本文": TEXTS, "部署": LABELS}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
frames = pytest.mark.parametrize("library", FRAMES)

TEXT_COLUMNS = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "numpy": np.array,
    "numpy objects": lambda texts: np.array(texts, object),
    "numpy StringDType": lambda texts: np.array(texts, np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "pandas with another index": lambda texts: pd.Series(texts, index=[7, 5, 3, 1][: len(texts)]),
    "pandas index": pd.Index,
    "pandas of pyarrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    "pyarrow large": lambda texts: pa.array(texts, pa.large_string()),
}


def untrained():
    return TextClassifier(**BY_EVIDENCE, tokenizer="whitespace")


PLAIN = untrained().fit(TEXTS, LABELS)


@pytest.mark.parametrize("kind", TEXT_COLUMNS)
def test_texts_and_labels_may_come_as_any_column_of_strings(kind):
    made = TEXT_COLUMNS[kind]
    classifier = untrained().fit(made(TEXTS), made(LABELS))
    assert classifier.learnt == PLAIN.learnt
    assert all(type(name) is str for name in classifier.classes_)
    assert classifier.predict(made(TEXTS)).tolist() == LABELS
    assert classifier.score(made(TEXTS), made(LABELS)) == 1.0


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["a", None], "NoneType 'None'"),
        (["a", np.nan], "float 'nan'"),
        (pd.Series(["a", None]), ""),
        (pd.Series(["a", None], dtype="string"), "NAType '<NA>'"),
        (pd.Series(["a", np.nan], dtype=object), "float 'nan'"),
        (pl.Series(["a", None]), "NoneType"),
        (pa.array(["a", None]), "NoneType"),
        (np.array(["a", None], np.dtypes.StringDType(na_object=None)), "NoneType"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_missing_text_is_named_by_its_row_with_the_remedy(texts, shown):
    for call in (lambda: untrained().fit(texts, ["x", "y"]), lambda: PLAIN.predict(texts)):
        with pytest.raises(InputError, match=rf'text 1 is {shown}.*a missing value; .*fillna\(""\)'):
            call()


@frames
def test_a_data_frame_is_fitted_by_the_names_of_its_columns(library):
    frame = FRAMES[library](COLUMNS)
    assert untrained().fit(frame, text="本文", label="部署").learnt == PLAIN.learnt
    assert untrained().fit(frame, LABELS, text="本文").learnt == PLAIN.learnt
    assert untrained().fit(frame, text="本文", label="番号").classes_.tolist() == [1, 2, 3, 4]
    assert untrained().fit(frame["本文"], frame["部署"]).learnt == PLAIN.learnt


@frames
def test_a_data_frame_in_place_of_texts_is_refused_with_the_names_of_its_text_columns(library):
    frame = FRAMES[library](COLUMNS)
    for call in (lambda: untrained().fit(frame, LABELS), lambda: PLAIN.predict(frame)):
        with pytest.raises(
            InputError, match=r"columns of text are '本文', '部署': use fit\(frame, text='本文', label='部署'\)"
        ):
            call()
    with pytest.raises(InputError, match="columns of text are '本文'"):
        untrained().fit(frame, label="部署")
    with pytest.raises(InputError, match="none of its columns holds text"):
        untrained().fit(FRAMES[library]({"番号": [1, 2]}), ["x", "y"])
    with pytest.raises(InputError, match="the data frame has no column 'text'; its columns are 番号, 本文, 部署"):
        untrained().fit(frame, text="text", label="部署")
    with pytest.raises(InputError, match="labels are given twice"):
        untrained().fit(frame, LABELS, text="本文", label="部署")
    with pytest.raises(InputError, match="labels must be a list of labels, not"):
        untrained().fit(TEXTS, frame)


@frames
def test_a_corpus_is_read_from_a_data_frame(library):
    frame = FRAMES[library](COLUMNS)
    documents = list(read_corpus(frame, label="部署"))
    expected = [(text, label, str(i)) for i, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))]
    assert [(document.text, document.label, document.id) for document in documents] == expected
    assert documents[0].columns == {"本文": TEXTS[0], "部署": LABELS[0]}
    assert [document.label for document in read_corpus(frame, text="本文", label="番号")] == ["1", "2", "3", "4"]
    named = FRAMES[library]({"text": ["a"], "label": ["x"], "id": ["first"], "group": ["g"]})
    [document] = read_corpus(named)
    assert (document.text, document.label, document.id, document.group) == ("a", "x", "first", "g")
    with pytest.raises(InputError, match="the data frame: no label column found among 番号, 本文, 部署; name it with"):
        read_corpus(frame)
    with pytest.raises(InputError, match="a data frame has no reader"):
        read_corpus(frame, reader="csv")


@frames
def test_bad_rows_of_a_data_frame_are_named_or_skipped(library):
    frame = FRAMES[library]({"text": ["a", None, "c", "d"], "label": ["x", "y", "x", "y"]})
    with pytest.raises(InputError, match="the data frame, row 1: no text in 'text'"):
        list(read_corpus(frame))
    with pytest.warns(ReadingWarning, match="1 bad record was skipped"):
        assert [d.text for d in read_corpus(frame, skip_bad=True, max_skipped=0.5)] == ["a", "c", "d"]


def test_two_columns_of_one_name_and_lazy_frames_are_refused():
    twice = pd.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(InputError, match="the data frame has two columns 'text'"):
        untrained().fit(twice, ["x"], text="text")
    lazy = pl.DataFrame(COLUMNS).lazy()
    for call in (lambda: untrained().fit(lazy, text="本文", label="部署"), lambda: PLAIN.predict(lazy)):
        with pytest.raises(InputError, match=r"not computed yet; call collect\(\) first"):
            call()


def test_columns_are_named_only_in_data_frames():
    with pytest.raises(InputError, match=r"text= and label= name columns of a data frame, which list .* is not"):
        untrained().fit(TEXTS, text="本文", label="部署")
    with pytest.raises(InputError, match=r"texts must have one dimension, not 2; texts.ravel\(\) has one"):
        untrained().fit(np.array([TEXTS]).T, LABELS)


@frames
def test_columns_become_plain_values(library):
    frame = FRAMES[library](COLUMNS)
    assert column_names(frame) == ["番号", "本文", "部署"]
    assert text_columns(frame) == ["本文", "部署"]
    assert {type(value) for value in column(frame, "番号")} == {int}
    generator = (text for text in TEXTS)
    assert plain_values(generator) is generator


@pytest.mark.parametrize("kind", [list, iter])
def test_swapped_texts_and_labels_are_noticed(kind):
    texts = ["犬が庭を走る", "明日は雨が降るらしい", "猫は窓辺で眠っている", "北風が強く吹いている"]
    swapped = r"texts and labels look swapped: 2 distinct texts, such as '動物', have 4 .* fit\(texts, labels\)"
    with pytest.raises(InputError, match=swapped):
        TextClassifier().fit(kind(LABELS), kind(texts))
    assert TextClassifier().fit(kind(texts), kind(LABELS)).classes_.tolist() == ["動物", "天気"]


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["a", "b"], ["a very long label", "another long label"]),  # as many texts as labels
        (["a", "a", "a", "b", "b", "b"], ["x", "y", "z", "u", "v", "w"]),  # labels are short
        (["犬", "犬", "犬", "猫"], ["a long label", "a long label", "a long label", "another"]),  # few labels
    ],
)
def test_short_texts_with_long_labels_are_not_taken_for_swapped(texts, labels):
    assert untrained().fit(texts, labels).classes_.tolist() == sorted(set(labels))
