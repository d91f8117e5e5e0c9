import csv
import io
import json
import subprocess
import sys

import pytest

from textnb import TextClassifier


def test_every_line_has_its_row_in_its_order(run_alone, model):
    lines = ["dog", "", "egg", "unknown words", "   ", "cat"]
    done = run_alone("predict", model, stdin="\n".join(lines)).ok
    header, *rows = done.lines
    assert header == "id\tlabel\tprobability\tknown_terms"
    assert [row.split("\t")[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    clf = TextClassifier.load(model)
    assert [row.split("\t")[1] for row in rows] == clf.predict(lines).tolist()
    shown = [row.split("\t")[2] for row in rows]
    assert shown == [f"{p:.4f}" for p in clf.predict_proba(lines).max(axis=1)]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("options", [[], ["--line-buffered"], ["--all-scores", "--top", 2, "--unsure", 0.9]])
def test_documents_without_known_terms_are_marked_and_counted(run, model, form, options):
    lines = ["dog cat dog", "", "egg zebra", "unknown words", "   ", "cat"]
    done = run("predict", model, "--format", form, *options, stdin="\n".join(lines)).ok
    if form == "jsonl":
        known = [json.loads(line)["known_terms"] for line in done.lines]
    else:
        known = [int(line.split("," if form == "csv" else "\t")[-1]) for line in done.lines[1:]]
    vocabulary = {"dog", "cat", "bird", "egg", "salt", "oil", "pan"}
    assert known == [sum(word in vocabulary for word in line.split()) for line in lines]
    warning = "3 of 6 documents have no known term (known_terms 0); their label is a guess"
    assert done.err == f"textnb: warning: {warning}\n"


def test_an_empty_cell_of_a_table_is_marked_and_a_full_one_is_not(run, model, tmp_path):
    (tmp_path / "t.csv").write_text("id,text\na,dog\nb,\n")
    done = run("predict", model, "t.csv").ok
    assert [line.split("\t")[::3] for line in done.lines[1:]] == [["a", "1"], ["b", "0"]]
    assert "warning: 1 of 2 documents" in done.err
    (tmp_path / "t.csv").write_text("id,text\na,dog\n")
    assert run("predict", model, "t.csv").ok.err == ""


def test_the_three_formats_hold_the_same(run, model):
    rows = {}
    for form in ("tsv", "csv", "jsonl"):
        options = ["--all-scores", "--top", 2, "--digits", 3]
        done = run("predict", model, "--format", form, *options, stdin="dog egg\ncat\n").ok
        rows[form] = done.out
    tsv = [line.split("\t") for line in rows["tsv"].splitlines()]
    assert tsv == list(csv.reader(io.StringIO(rows["csv"])))
    assert tsv[0] == ["id", "label", "probability", "label_2", "probability_2", "p(food)", "p(pets)", "known_terms"]
    records = [json.loads(line) for line in rows["jsonl"].splitlines()]
    shown = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in record.values()] for record in records]
    assert shown == tsv[1:]
    assert records[0]["p(food)"] + records[0]["p(pets)"] == pytest.approx(1)


def test_a_file_is_one_document_a_table_its_records_a_folder_its_files(run, model, tmp_path):
    (tmp_path / "one.txt").write_text("dog\ncat\n")
    (tmp_path / "two.csv").write_text('id,text\na,dog\n"b\tc",egg\n')
    (tmp_path / "three" / "deep").mkdir(parents=True)
    (tmp_path / "three" / "x.txt").write_text("dog")
    (tmp_path / "three" / "deep" / "y.txt").write_text("egg")
    done = run("predict", model, "one.txt", "two.csv", "three", "-", stdin="salt\n").ok
    assert [line.split("\t")[:2] for line in done.lines[1:]] == [
        ["one.txt", "pets"],
        ["a", "pets"],
        ["b\\tc", "food"],
        ["deep/y.txt", "food"],
        ["x.txt", "pets"],
        ["1", "food"],
    ]
    files = [line.split("\t")[-1] for line in done.lines]
    assert files == ["file", "one.txt", "two.csv", "two.csv", "three", "three", "-"]
    alone = run("predict", model, "two.csv").ok.lines
    assert [line.split("\t")[0] for line in alone] == ["id", "a", "b\\tc"]


def test_broken_bytes_are_classified_and_reported(run, model, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"dog \xff\xfe\xfd cat")
    done = run("predict", model, "bad.txt").ok
    assert done.lines[1].startswith("bad.txt\tpets")
    assert "could not be decoded completely" in done.err
    piped = run("predict", model, stdin=b"dog \xff\n\x80 egg\nfine\n").ok
    assert len(piped.lines) == 4
    assert "standard input: 2 of 3 documents could not be decoded completely" in piped.err


def test_japanese_in_any_encoding_gives_the_same_answer(run, ja_mini, tmp_path):
    assert run("train", ja_mini / "train", "-o", "ja.textnb").code == 0
    text = (ja_mini / "test" / "cooking" / "01.txt").read_text(encoding="utf-8")
    answers = set()
    for encoding in ("utf-8", "cp932", "euc_jp", "iso2022_jp", "utf-16"):
        (tmp_path / "note.txt").write_bytes(text.encode(encoding, "replace"))
        answers.add(run("predict", "ja.textnb", "note.txt").out)
    assert len(answers) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_lines_of_standard_input_may_be_utf_16_or_utf_32(run, model, encoding):
    lines = "dog 上\nあ egg\r\n日本\n"
    for verb, more in (("predict", [model]), ("tokenize", []), ("explain", [model])):
        plain = run(verb, *more, stdin=lines).ok
        wide = run(verb, *more, "--encoding", encoding, stdin=lines.encode(encoding)).ok
        assert (wide.out, wide.err) == (plain.out, plain.err)


def test_line_buffered_answers_before_the_next_line_comes(model):
    command = [sys.executable, "-c", "from textnb.cli import main; main()", "predict", str(model), "--line-buffered"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().startswith("id")
        for number, word in enumerate(["dog", "egg"], 1):
            process.stdin.write(word + "\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(f"{number}\t")
        process.stdin.close()


@pytest.mark.parametrize("source", ["lines", "table", "folder", "mail"])
def test_the_answers_do_not_depend_on_the_number_of_jobs(run, model, tmp_path, source):
    texts = [f"{'dog' * (n % 3 == 0)} {'egg ' * (n % 5)} {'salt' * (n % 7 == 1)} word{n}" for n in range(1000)]
    (tmp_path / "t.csv").write_text("id,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts)))
    (tmp_path / "box").mkdir()
    for n, text in enumerate(texts):
        (tmp_path / "box" / f"{n:04}.txt").write_text(text)
    (tmp_path / "m.mbox").write_text("".join(f"From a@b Thu Jan  1 00:00:00 1970\n\n{text}\n\n" for text in texts))
    name = {"lines": [], "table": ["t.csv"], "folder": ["box"], "mail": ["m.mbox", "--reader", "mail"]}[source]
    stdin = "".join(f"{text}\n" for text in texts) if source == "lines" else ""
    outputs = {run("predict", model, *name, "--jobs", jobs, stdin=stdin).ok.out for jobs in (1, 2, 3)}
    (output,) = outputs
    rows = [line.split("\t") for line in output.splitlines()[1:]]
    assert len(rows) == len(texts)
    if source != "mail":  # a message has terms of its header fields, too
        clf = TextClassifier.load(model)
        assert [row[1] for row in rows] == clf.predict(texts).tolist()
        assert [row[2] for row in rows] == [f"{p:.4f}" for p in clf.predict_proba(texts).max(axis=1)]


def test_a_closed_pipe_is_no_traceback(model):
    command = (
        f"yes dog | head -5000 | {sys.executable} -c 'from textnb.cli import main; main()' predict {model} | head -1"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("id")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"not a model at all"])
def test_a_damaged_model_is_one_clear_line(run, tmp_path, damage):
    (tmp_path / "bad.textnb").write_bytes(damage)
    assert "bad.textnb" in run("predict", "bad.textnb", stdin="dog\n").refusal


def test_a_python_tokenizer_must_be_trusted(run_alone, corpus, tmp_path):
    (tmp_path / "mine.py").write_text("def cut(text):\n    return text.split()\n")
    env = {"PYTHONPATH": str(tmp_path)}
    assert run_alone("train", corpus, "-o", "m.textnb", "--tokenizer", "mine:cut", env=env).code == 0
    assert "mine:cut" in run_alone("predict", "m.textnb", stdin="dog\n", env=env).refusal
    trusted = run_alone("predict", "m.textnb", "--trust", "mine:cut", stdin="dog\n", env=env)
    assert trusted.lines[1].startswith("1\tpets")


def test_a_model_is_refused_as_a_document(run, model):
    assert "not a document" in run("predict", model, model).refusal


@pytest.mark.parametrize("arguments", [[], ["--line-buffered"]])
def test_an_input_that_does_not_exist_is_an_error_before_the_header(run, model, arguments):
    done = run("predict", model, "missing.txt", *arguments)
    assert (done.code, done.out, done.err) == (1, "", "textnb: missing.txt does not exist\n")


def test_an_input_without_documents_has_a_header_alone(run, model):
    done = run("predict", model, stdin="")
    assert (done.code, done.out) == (0, "id\tlabel\tprobability\tknown_terms\n")


@pytest.mark.parametrize("name", ["table.tsv", "table.csv", "-"])
def test_a_spreadsheet_is_refused_by_name(run, model, tmp_path, name):
    data = b"PK\x03\x04\x14\x00\x06\x00\x08\x00" + bytes(90)
    (tmp_path / "table.tsv").write_bytes(data)
    (tmp_path / "table.csv").write_bytes(data)
    done = run("predict", model, name, stdin=data)
    assert done.code == 1
    shown = "standard input" if name == "-" else name
    assert f"textnb: {shown}: this is a ZIP file, such as .xlsx, .docx or .zip, not text; give" in done.err


def test_a_proportion_of_skipped_records_needs_leave_to_skip(run, model, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n[1]\n', encoding="utf-8")
    done = run("predict", model, "a.jsonl", "--max-skipped", "0.5")
    assert (done.code, "--max-skipped would have no effect without --skip-bad" in done.err) == (2, True)
    assert run("predict", model, "a.jsonl", "--skip-bad", "--max-skipped", "1.5").code == 2
    too_many = run("predict", model, "a.jsonl", "--skip-bad")
    assert (too_many.code, "1 of 2 records are bad" in too_many.err) == (1, True)
    assert len(run("predict", model, "a.jsonl", "--skip-bad", "--max-skipped", "0.5").ok.lines) == 2
