"""Messages of other mail libraries' tests and of the SpamAssassin corpus: all are read, Japanese to the right words."""

import os
import tarfile
from pathlib import Path

import pytest

from textnb import read_corpus
from textnb.corpus import known_corpus
from textnb.readers import read_message

RUBY = "ruby-mail/spec/fixtures/"
CHARSETS = RUBY + "emails/multi_charset/"
FML = "fml8/regress/testmails/"
JCODE = "fml8/cpan/dist/Jcode/t/"
JAPANESE = {
    CHARSETS + "japanese.eml": "まみむめも",
    CHARSETS + "japanese_attachment.eml": "name:てすと.txt",
    CHARSETS + "japanese_attachment_long_name.eml": "name:かきくけこかきくけこ",
    CHARSETS + "japanese_iso_2022.eml": "すみません。",
    CHARSETS + "japanese_shift_jis.eml": "今後ともよろしくお願い申し上げます！",
    RUBY + "emails/rfc2822/example14.eml": "テストテスト",
    RUBY + "emails/plain_emails/raw_email_with_partially_quoted_subject.eml": 'Re: Test: "漢字" mid "漢字" tail',
    RUBY + "attachments/てすと.txt": "これわてすと",
    "mail-iso-2022-jp/test/data/sample0.eml": "投稿テスト",
    "mail-iso-2022-jp/README.md": "するパッチです",
    "mail-iso-2022-jp/test/mail_test.rb": "こんにちは",
    "mail-iso-2022-jp/test/action_mailer_test.rb": "テスト",
    FML + "text=plain": "てすとやで",
    FML + "text=plain-emptydate": "てすとやで",
    FML + "text=plain.dupfrom": "てすとやで",
    FML + "text=plain.no-mime": "てすとやで",
    FML + "text=plain.nofrom": "てすとやで",
    FML + "text=plain.euc-jp": "EUC-JP で書かれたテストメールです。",
    FML + "text=plain.sjis": "SJIS で書かれたテストメールです。",
    FML + "text=plain.jp": "カードキャプターさくら映画版",
    JCODE + "hiragana.euc": "むめもゃやゅゆょよ",
    JCODE + "zenkaku.euc": "ムメモャヤュユョヨ",
    JCODE + "jfold.t": "あいうえお",
    JCODE + "length.t": "ホゲ",
    JCODE + "mime.t": "テスト",
    JCODE + "regex.t": "ひらがなの",
    "hard-ham-1/00039.b2b936a8501444b213f61f9ff193b480": "日本語の件名（サブジェクト）　スパムメールではありません！",
    "hard-ham-1/00042.5b7f2a0e87c853e8c8e13d556c1320d2": "三菱化学エンジニアリング様",
    "spam-1/00263.13fc73e09ae15e0023bdb13d0a010f2d": "コラボレーション",
    "spam-1/00320.20dcbb5b047b8e2f212ee78267ee27ad": "コラボレーション",
    "spam-1/00323.9e36bf05304c99f2133a4c03c49533a9": "コラボレーション",
    "spam-1/00325.58d1a52f435030dc38568bc12a3d76a2": "未承諾広告※",
    "spam-1/00326.5ec68244bb085cb140deb79563abd7b3": "突然のメール失礼いたします。",
    "spam-1/00327.7f21bc8575786a0e00341a6407b9f286": "未承諾広告※",
    # Big5 and Korean, for the neighbours
    "spam-2/00706.5116018237368c3633823b2d24f8ac86": "墨水匣批發電子報",
    FML + "text=html": "성인 전용",
}


@pytest.fixture(scope="module")
def messages():
    """Every fixture and every 20th message of the SpamAssassin corpus, by name; and those that are named above."""
    folder = Path(os.environ.get("TEXTNB_CORPORA", ""))
    archives = [folder / "mail-fixtures.tar.xz", folder / "spamassassin.tar.xz"]
    if not all(archive.is_file() for archive in archives):
        pytest.skip("needs the public corpora: set TEXTNB_CORPORA to the folder with their archives")
    found = {}
    for archive, step in zip(archives, (1, 20), strict=True):
        with tarfile.open(archive) as tar:
            for i, member in enumerate(tar):
                name = member.name.removeprefix("./").removeprefix("spamassassin/")
                if member.isfile() and (i % step == 0 or name in JAPANESE):
                    found[name] = tar.extractfile(member).read()
    return found


def test_every_real_message_is_read(messages):
    documents = {name: read_message(raw) for name, raw in messages.items()}
    assert len(documents) > 500
    mail = [document for name, document in documents.items() if "ham-" in name or "spam-" in name]
    assert all(document.date is not None and document.text for document in mail)


def test_japanese_comes_out_as_it_was_written(messages):
    wrong = []
    for name, words in JAPANESE.items():
        mail = read_message(messages[name])
        if words not in mail.text and not any(words in token for token in mail.fields.get("attachment", [])):
            wrong.append((name, mail.text[:80]))
    assert wrong == []


def test_the_bundled_mail_is_what_its_description_says():
    corpus = known_corpus("ja-mail")
    with pytest.warns(UserWarning, match=r"defects in \d+ of \d+ messages"):
        documents = list(read_corpus(corpus.path))
    found = {label: sum(document.label == label for document in documents) for label in corpus.classes}
    assert found == corpus.classes
    assert sum(found.values()) >= 60
    assert len({document.digest for document in documents}) == len(documents)
    assert not any("\ufffd" in document.text for document in documents)
    assert all(len([c for c in document.text if "ぁ" <= c <= "ヶ"]) > 20 for document in documents)
    assert {"iso-2022-jp", "utf-8", "shift_jis", "euc-jp"} <= {
        charset for document in documents for charset in document.fields.get("charset", [])
    }


def test_the_bundled_mail_has_kept_its_bytes():
    raws = [path.read_bytes() for path in known_corpus("ja-mail").path.rglob("*.eml")]
    assert 10 < sum(b"\r\n" in raw for raw in raws) < len(raws)
    assert any(not raw.isascii() for raw in raws)
