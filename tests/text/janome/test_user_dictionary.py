import json

import pytest

from textnb.errors import InputError
from textnb.text import UserDictionary, tokenizer, tokenizer_of
from textnb.text.janome.tokenizer import Janome

TEXT = "東京スカイツリーへのお越しは、東武スカイツリーライン「とうきょうスカイツリー駅」が便利です。"
SIMPLE = (
    "東京スカイツリー,カスタム名詞,トウキョウスカイツリー\n"
    "とうきょうスカイツリー駅,カスタム名詞,トウキョウスカイツリーエキ\n"
)
IPADIC = (
    "東京スカイツリー,1288,1288,4569,名詞,固有名詞,一般,*,*,*,東京スカイツリー,トウキョウスカイツリー,トウキョウスカイツリー\n"
    "お越しは,1285,1285,-5000,名詞,一般,*,*,*,*,御越しは,オコシハ,オコシワ\n"
)
KINDS = {"simpledic": SIMPLE, "ipadic": IPADIC}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def written(tmp_path, csv, name="user.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(csv.encode(encoding))
    return path


def details(tokens):
    return [(t.surface, t.base, t.reading, t.pos) for t in tokens]


def of_janome(path, kind, text):
    from janome.tokenizer import Tokenizer

    tokens = Tokenizer(str(path), udic_type=kind, udic_enc="utf-8").tokenize(text)
    return [(t.surface, t.base_form, t.reading, t.part_of_speech) for t in tokens]


def test_tokens_are_those_of_janome_with_the_same_dictionary(tmp_path, kind, ja_mini):
    path = written(tmp_path, KINDS[kind])
    for text in (TEXT, TEXT * 40, "", ja_mini[0]):
        assert details(Janome(user_dictionary=path).tokens(text)) == of_janome(path, kind, text)
    assert details(Janome(user_dictionary=path).tokens(TEXT)) != details(Janome().tokens(TEXT))


def test_path_string_value_and_recipe_give_equal_tokenizers(tmp_path, kind):
    path = written(tmp_path, KINDS[kind], "words.txt")
    given = tokenizer("janome", user_dictionary=path)
    assert given == tokenizer("janome", user_dictionary=str(path))
    assert given == tokenizer("janome", user_dictionary=UserDictionary(KINDS[kind], kind))
    path.unlink()
    again = tokenizer_of(json.loads(json.dumps(given.recipe)))
    assert again == given
    assert again(TEXT) == given(TEXT)
    assert "東京スカイツリー" in again(TEXT)


def test_a_dictionary_does_not_leak_into_other_tokenizers(kind):
    plain = Janome()(TEXT)
    with_words = Janome(user_dictionary=UserDictionary(KINDS[kind], kind))(TEXT)
    assert Janome()(TEXT) == plain != with_words
    assert Janome(user_dictionary=UserDictionary("便利です,挨拶,ベンリデス\n"))(TEXT)[-2:] == ["便利です", "。"]


@pytest.mark.parametrize("change", [lambda s: "\ufeff" + s, lambda s: s.replace("\n", "\r\n"), lambda s: f"\n{s}\n \n"])
def test_byte_order_mark_line_ends_and_blank_lines_make_no_difference(tmp_path, kind, change):
    changed = written(tmp_path, change(KINDS[kind]))
    assert UserDictionary.read(changed) == UserDictionary(KINDS[kind], kind)


def test_a_dictionary_of_the_users_own_parts_of_speech_can_be_filtered_by_them():
    found = Janome(user_dictionary=UserDictionary(SIMPLE), pos=["カスタム名詞"])(TEXT)
    assert found == ["東京スカイツリー", "とうきょうスカイツリー駅"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        ("東京,名詞,トウキョウ".encode("cp932"), "codec can't decode"),
        ("東京,名詞".encode(), "line 1: a line has three columns, .*; this line is '東京,名詞'"),
        (f"{IPADIC}東京,名詞,トウキョウ".encode(), "line 3: a line has the 13 columns of IPADIC"),
        (f"{SIMPLE},名詞,トウキョウ".encode(), "line 3: a line has three columns, the word, "),
        (f"\n{SIMPLE}\n東京,名詞\n".encode(), "line 5: .*'東京,名詞'"),
        (IPADIC.replace("1285,1285", "1285,x").encode(), "line 2: columns 2 to 4 must be whole numbers"),
        (IPADIC.replace("4569", "45.69").encode(), "line 1: columns 2 to 4 must be whole numbers"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, content, message):
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"broken\.csv.*{message}"):
        Janome(user_dictionary=path)


def test_a_path_that_is_no_file_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(InputError, match=f"user dictionary {path}: "):
            Janome(user_dictionary=path)


def ipadic(left=1285, right=1285, cost=5000):
    return f"東京駅,{left},{right},{cost},名詞,一般,*,*,*,*,東京駅,トウキョウエキ,トーキョーエキ\n"


@pytest.mark.parametrize(
    "ids",
    [{"left": 1316}, {"right": 1316}, {"left": 10**20}, {"left": -1}, {"right": -1316}, {"cost": 10**14}],
    ids=str,
)
def test_ids_and_costs_that_janome_does_not_have_are_refused_by_line(ids):
    with pytest.raises(InputError, match="user dictionary line 2: "):
        Janome(user_dictionary=UserDictionary(ipadic() + ipadic(**ids), "ipadic"))("東京駅へ行く。東京駅だ")


@pytest.mark.parametrize(
    "line",
    [
        "東京駅,名詞,トウキョウ\x85エキ,名詞,エキ",
        "東京駅,名詞,トウキョウ\u2028エキ,名詞,エキ",
        "東京駅\ud800,名詞,トウキョウ",
        ",名詞,エキ",
    ],
    ids=ascii,
)
def test_a_line_that_janome_cannot_read_is_refused_by_number(line):
    with pytest.raises(InputError, match="user dictionary line 3: "):
        Janome(user_dictionary=UserDictionary(f"{SIMPLE}{line}\n"))("東京駅へ行く")


def test_the_largest_ids_that_janome_has_are_accepted():
    assert "東京駅" in Janome(user_dictionary=UserDictionary(ipadic(1315, 1315, -20000), "ipadic"))("東京駅へ行く")


@pytest.mark.parametrize("csv", ["", "\n", "\n\n"])
def test_a_dictionary_without_words_is_refused(csv):
    with pytest.raises(InputError, match="user dictionary"):
        Janome(user_dictionary=UserDictionary(csv))("東京駅へ行く")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"csv": SIMPLE, "kind": "unidic"}, "kind 'unidic'; use simpledic, ipadic"),
        ({"csv": SIMPLE, "kind": None}, "unknown user dictionary kind None"),
        ({"csv": 5, "kind": "simpledic"}, "5"),
        ({"csv": None}, "None"),
        ({"kind": "simpledic"}, "csv"),
        ({"csv": SIMPLE, "path": "/etc/passwd"}, "path"),
        ([SIMPLE], "user dictionary, word 1: needs .surface, pos, reading., strings without commas"),
        (5, "user_dictionary must be a path, a list of .surface, pos, reading. or a UserDictionary"),
    ],
)
def test_a_recipe_with_a_broken_dictionary_is_refused(value, message):
    recipe = {"name": "janome", "version": Janome().version, "params": {"user_dictionary": value}}
    with pytest.raises(InputError, match=message):
        tokenizer_of(recipe)


def test_words_may_be_given_as_they_are(engine, janome_with):
    words = [("東京駅", "カスタム名詞", "トウキョウエキ"), ["犬小屋", "名詞", "イヌゴヤ"]]
    same = UserDictionary("東京駅,カスタム名詞,トウキョウエキ\n犬小屋,名詞,イヌゴヤ\n")
    assert Janome(user_dictionary=words) == Janome(user_dictionary=tuple(words)) == Janome(user_dictionary=same)
    text = "東京駅の犬小屋へブロゴスフィアが走った"
    assert list(engine(same).tokens(text)) == janome_with(same, text)
    assert tokenizer_of(Janome(user_dictionary=words).recipe) == Janome(user_dictionary=same)


@pytest.mark.parametrize(
    "word",
    [
        "東京駅",
        ("東京駅", "名詞"),
        ("東京駅", "名詞", 5),
        ("東京,駅", "名詞", "エキ"),
        ("東京駅", "名詞", "エ\nキ"),
        None,
    ],
    ids=repr,
)
def test_a_word_that_is_no_triple_of_strings_is_refused_by_number(word):
    with pytest.raises(InputError, match=r"user dictionary, word 2: needs \(surface, pos, reading\)"):
        Janome(user_dictionary=[("犬小屋", "名詞", "イヌゴヤ"), word])


def test_a_list_without_words_is_refused():
    with pytest.raises(InputError, match="must contain lines of text"):
        Janome(user_dictionary=[])
