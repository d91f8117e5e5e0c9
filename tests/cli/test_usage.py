"""Wrong usage of every verb: exit code 2, one line that names the option, and no data; found by introspection."""

import click
import pytest

from textnb.cli import app
from textnb.cli.verbs import VERBS
from textnb.models.model import Number
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of

HUGE = "9" * 5000  # more digits than int takes
LARGE = str(10**24)


def _verbs():
    """Every verb by the words that call it."""
    for name in VERBS:
        command = app.get_command(click.Context(app), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {own}", each) for own, each in command.commands.items())
        else:
            yield name, command


def _numeric_options():
    """(verb, option) for every option whose type is a number."""
    numbers = (click.types.IntParamType, click.types.FloatParamType)
    for verb, command in _verbs():
        for param in command.params:
            if isinstance(param.type, numbers) and isinstance(param, click.Option):
                yield verb, param


NUMERIC = list(_numeric_options())

COMMANDS = {
    "train": "train corpus -o other.textnb",
    "predict": "predict model.textnb corpus",
    "test": "test model.textnb corpus",
    "compare": "compare corpus --models multinomial,bernoulli --folds 2",
    "curve": "curve corpus --models multinomial --folds 2",
    "tune": "tune corpus --by accuracy --vary alpha=0.1,1 --folds 2",
    "calibrate": "calibrate model.textnb corpus -o other.textnb",
    "explain": "explain model.textnb corpus",
    "words": "words model.textnb",
    "update": "update model.textnb corpus -o other.textnb",
    "forget": "forget model.textnb corpus -o other.textnb",
    "tokenize": "tokenize corpus",
    "count": "count corpus -o other.counts",
    "filter": "filter mail.textnb",
    "filterd": "filterd mail.textnb --socket s",
    "sort": "sort mail.textnb Maildir",
    "imap": "imap mail.textnb --host 127.0.0.1 --user me --password-command true --port 1",
    "corpus check": "corpus check corpus",
}
CAREFUL = {"spam_cutoff", "good_cutoff", "thin"}
"""Options that need --spam."""

PROPORTIONS = {"unsure", "spam_cutoff", "good_cutoff", "similarity", "precision", "recall"}
"""Numbers that the verbs themselves check, from 0 to 1."""


def _outside(param):
    """Values beyond both ends of an option's range, and values that are not numbers."""
    is_whole = isinstance(param.type, click.types.IntParamType)
    step = 1 if is_whole else 0.01
    low, high = getattr(param.type, "min", None), getattr(param.type, "max", None)
    if param.name in PROPORTIONS:
        low, high = 0, 1
    if param.name == "thin":
        low = 1
    ends = [low - step] + ([] if high is None else [high + step])
    return [*map(str, ends), "x", "", *(["1.5"] if is_whole else ["nan", "inf", "-inf", "1e400"])]


def _words(verb, param):
    """Command of a verb without the option itself, with what the option needs."""
    words = COMMANDS[verb].split()
    if param.opts[-1] in words:
        place = words.index(param.opts[-1])
        del words[place : place + 2]
    needed = {"max_skipped": ["--skip-bad"], **{name: ["--spam", "ham"] for name in CAREFUL}}
    return words + needed.get(param.name, [])


def complaint(done):
    """The line of an error with exit code 2: alone, or below the usage lines that click prints."""
    assert (done.code, done.out) == (2, ""), done
    *usage, line = done.err.splitlines()
    assert line.startswith("Error: ") if usage else line.startswith("textnb: "), done
    assert not usage or (usage[0].startswith("Usage: textnb ") and len(usage) == 3), done
    return line


@pytest.fixture
def inputs(corpus, model, mail_model, tmp_path):
    for box in ("cur", "new", "tmp"):
        (tmp_path / "Maildir" / box).mkdir(parents=True)


def test_every_verb_with_a_number_is_here():
    assert {verb for verb, _ in NUMERIC} == set(COMMANDS)


@pytest.mark.parametrize(
    ("verb", "param"),
    [each for each in NUMERIC if each[0] != "filter"],
    ids=lambda each: getattr(each, "name", each),
)
def test_a_number_out_of_its_range_is_exit_code_2_and_one_line(run, inputs, verb, param):
    option = max(param.opts, key=len)
    for value in _outside(param):
        line = complaint(run(*_words(verb, param), f"{option}={value}"))
        assert option.lstrip("-").split("-")[0] in line, (value, line)


@pytest.mark.parametrize(
    ("verb", "param"),
    [each for each in NUMERIC if each[0] not in ("filter", "filterd") and each[1].name != "every"],
    ids=lambda each: getattr(each, "name", each),
)
def test_the_lower_end_of_a_range_is_no_wrong_usage(run, inputs, verb, param):
    low = getattr(param.type, "min", None)
    least = {"similarity": 1, "precision": 1, "recall": 1, "spam_cutoff": 0.2, "thin": 1}
    if verb in ("predict", "test"):  # a promised precision is above 0 and below 1
        least["precision"] = 1e-9
    value = least.get(param.name, 0 if low is None else low)
    done = run(*_words(verb, param), f"{max(param.opts, key=len)}={value}")
    assert done.code != 2 and "Traceback" not in done.err, done


@pytest.mark.parametrize(
    ("verb", "param"),
    [
        each
        for each in NUMERIC
        if isinstance(each[1].type, click.types.IntParamType)
        and getattr(each[1].type, "max", None) is None
        and each[0] not in ("filter", "filterd")
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_a_number_of_any_size_gives_an_answer_or_one_line(run, inputs, verb, param):
    done = run(*_words(verb, param), f"{max(param.opts, key=len)}={LARGE}")
    assert done.code == 0 or (done.code in (1, 2) and done.err.count("\n") == 1), done


@pytest.mark.parametrize("param", [param for verb, param in NUMERIC if verb == "filter"], ids=lambda each: each.name)
def test_filter_passes_the_mail_on_whatever_the_options_are(run, inputs, param):
    for value in _outside(param):
        words = [*_words("filter", param), f"{max(param.opts, key=len)}={value}"]
        for more, code in (([], 0), (["-e"], 3)):
            done = run(*words, *more, stdin="Subject: a\n\nb\n")
            assert (done.code, done.out, done.err.count("\n")) == (code, "Subject: a\n\nb\n", 1), done


WRITTEN = {
    "--alpha": ["-1", "-1e-300", "1e101", "inf", "nan", "x", HUGE],
    "--min-df": ["-1", "-0.1", "1.1", "nan", "x", f"1{HUGE}"],
    "--max-df": ["-1", "-0.1", "1.1", "nan", "x"],
    "--ngram": ["0", "0-1", "2-1", "101", "1-101", f"1-{LARGE}", HUGE, f"1-{HUGE}", "x", "1-x", "-1", "1.5", ""],
    "--terms": ["", "x", "words,", "words,words", "words pairs", "none", "Words"],
    "--prior": ["food=-1,pets=2", "food=1,pets=1", "food=nan,pets=1", "food=x,pets=1", "some", "food=1e400,pets=0"],
    "--tokenizer chars --chars-n": ["0", "2-1", HUGE, "x"],
}
"""Numbers that are written as text."""


@pytest.mark.parametrize(("option", "value"), [(o, v) for o, values in WRITTEN.items() for v in values])
def test_a_written_number_out_of_its_range_is_exit_code_2_and_one_short_line(run, inputs, option, value):
    *words, last = option.split()
    line = complaint(run("train", "corpus", "-o", "other.textnb", *words, f"{last}={value}"))
    assert line.startswith("textnb: ")
    assert len(line) < 300


@pytest.mark.parametrize("option", ["--alpha=0", "--alpha=1e100", "--min-df=0", "--max-df=1.0", "--ngram=100"])
def test_the_ends_of_written_numbers_are_no_wrong_usage(run, inputs, option):
    assert run("train", "corpus", "-o", "other.textnb", option).code != 2


def _model_numbers():
    for name in MODELS:
        for option in model_of(name).options.values():
            if isinstance(option.kind, Number):
                yield name, option


@pytest.mark.parametrize(("name", "option"), list(_model_numbers()), ids=lambda each: getattr(each, "name", each))
def test_numbers_of_models_out_of_their_ranges_are_exit_code_2_and_one_line(run, inputs, name, option):
    kind = option.kind
    beyond = [kind.low - 1e-9] if kind.low is not None else [kind.above] if kind.above is not None else []
    beyond += [kind.high + 1e-9] if kind.high is not None else [1e101]
    for value in [*beyond, "nan", "inf", "-inf", "x"]:
        words = ["train", "corpus", "-o", "other.textnb", "--model", name]
        for given in (["--set", f"{option.name}={value}"], [f"--{option.name.replace('_', '-')}={value}"]):
            assert option.name in complaint(run(*words, *given))


WITHOUT_EFFECT = [
    "train corpus -o o.textnb --no-calibrate --sample 5",
    "train corpus -o o.textnb --no-calibrate --sample 0",
    "train corpus -o o.textnb --model logistic --sample 5",
    "train corpus -o o.textnb --weighting raw-l2 --sample 5",
    "train corpus -o o.textnb --lang ja",
    "tune corpus --no-calibrate --sample 5",
    "tune corpus --by evidence --folds 3",
    "tune corpus --seed 1",
    "tune corpus --alpha 1 --vary alpha=0.1,1",
    "tune corpus --ngram 2 --vary ngram=1,1-2",
    "tune corpus --ngram 2 --vary terms=words,pairs",
    "tune corpus --terms words --vary ngram=1,2",
    "train corpus -o o.textnb --terms words,pairs --ngram 1-2",
    "count corpus -o o.counts --terms words --ngram 1",
    "train corpus -o o.textnb --features chars",
    "tune corpus --model complement --set weight_norm=true --vary weight_norm=true,false",
    "compare corpus --criterion evidence --folds 3",
    "compare corpus --criterion bic --repeats 2",
    "compare corpus --criterion evidence --seed 1",
    "compare corpus --criterion evidence --no-calibrate",
    "compare corpus --criterion evidence --html p.html",
    "compare corpus --json --csv",
    "compare corpus --models multinomial --recipes r.toml",
    "predict model.textnb corpus --line-buffered --jobs 2",
    "predict model.textnb corpus --max-skipped 0.1",
    "predict model.textnb corpus --unsure-label x",
    "predict model.textnb corpus --bom",
    "predict model.textnb corpus --safe-cells",
    "predict model.textnb corpus -o o.jsonl --bom",
    "predict model.textnb corpus -o o.xlsx --safe-cells",
    "predict model.textnb corpus -o o.csv --format tsv",
    "predict model.textnb corpus -o o.ods",
    "predict model.textnb corpus --per-line --reader csv",
    "compare corpus --criterion evidence --answers o.csv",
    "compare corpus --answers o.txt",
    "predict model.textnb corpus --unsure 0.5 --costs c.toml",
    "explain model.textnb corpus --json --top 3",
    "words model.textnb --json --format csv",
    "corpus check corpus --json --top 3",
    "tokenize corpus --details --ngram 2",
    "tokenize corpus --details --features length",
    "tokenize corpus --details --terms chars",
    "sort mail.textnb Maildir --every 5",
    "sort mail.textnb Maildir --thin 5",
    "sort mail.textnb Maildir --spam ham --unsure 0.5",
    "imap mail.textnb --host localhost --user me --password-command true --every 5",
    "imap mail.textnb --host localhost --user me --password-command true --insecure",
    "imap mail.textnb --host localhost --user me --password-command true --plain --cafile c.pem",
    "imap mail.textnb --host localhost --user me --password-command true --password-file f",
    "imap mail.textnb --host localhost --user me --password-command true --plain --starttls",
]


@pytest.mark.parametrize("command", WITHOUT_EFFECT)
def test_options_without_effect_or_against_each_other_are_exit_code_2_and_one_line(run, inputs, tmp_path, command):
    before = sorted(path.name for path in tmp_path.iterdir())
    assert complaint(run(*command.split())).startswith("textnb: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        "train corpus -o o.textnb --sample 5",
        "train corpus -o o.textnb --model logistic --sample 0",
        "train corpus -o o.textnb --model logistic --no-calibrate --sample 0",
        "tune corpus --weighting raw --vary alpha=0.1,1",
        "compare corpus --criterion evidence --models multinomial",
        "predict model.textnb corpus --line-buffered --jobs 1",
        "predict model.textnb corpus --jobs 2",
        "words model.textnb --json --top 3",
        "explain model.textnb corpus --top 3",
        "tokenize corpus --details --normalise nfkc",
    ],
)
def test_options_with_an_effect_are_accepted(run, inputs, command):
    assert run(*command.split()).ok


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("train corpus -o o.textnb --text body", "--text"),
        ("train corpus -o o.textnb --label body", "--label"),
        ("train t.csv -o o.textnb --glob *.txt", "--glob"),
        ("train t.counts -o o.textnb --text body --skip-bad", "--text and --skip-bad"),
        ("test model.textnb corpus --text body", "--text"),
        ("predict model.textnb corpus --text body", "--text"),
        ("predict model.textnb --text body", "--text"),
        ("predict model.textnb t.csv --glob *.txt", "--glob"),
        ("explain model.textnb one.txt --text body", "--text"),
        ("tokenize one.txt --glob *.txt", "--glob"),
    ],
)
def test_options_for_reading_that_the_input_does_not_use_are_refused(run, inputs, tmp_path, command, options):
    (tmp_path / "t.csv").write_text("text,label\ndog,pets\negg,food\n")
    (tmp_path / "one.txt").write_text("dog")
    assert run("count", "t.csv", "-o", "t.counts", "-q").ok
    assert f", and {options} would have no effect" in run(*command.split(), stdin="dog\n").refusal


def test_an_option_for_reading_that_one_of_the_inputs_uses_is_accepted(run, inputs, tmp_path):
    (tmp_path / "t.csv").write_text("body,label\ndog,pets\n")
    assert run("predict", "model.textnb", "t.csv", "corpus", "--text", "body").ok


def test_parameters_in_files_are_faults_of_the_files(run, inputs, tmp_path):
    (tmp_path / "r.toml").write_text("[[recipe]]\nalpha = -1\n")
    assert "r.toml: recipe 1" in run("compare", "corpus", "--recipes", "r.toml").refusal
    (tmp_path / "c.toml").write_text("[cost.food]\npets = -1\n")
    assert "c.toml" in run("predict", "model.textnb", "corpus", "--costs", "c.toml").refusal
    (tmp_path / "corpus" / "corpus.toml").write_text('[reader]\nencoding = "klingon"\n')
    assert "unknown encoding 'klingon'" in run("train", "corpus", "-o", "o.textnb").refusal


LONG = "x" * 10_000
LONG_FILES = {
    "header.csv": f"{LONG},b\n1,2\n",
    "label.csv": f"text,label\na,{LONG}\n",
    "value.jsonl": f'{{"text": {{"a": "{LONG}"}}, "label": "b"}}\n',
    "key.jsonl": f'{{"{LONG}": "a", "label": "b"}}\n',
    "line.jsonl": f'{{"text": "a", "label": "b"}}\n{LONG}\n',
    "cost.toml": f'unsure = "{LONG}"\n',
    "costs_key.toml": f"{LONG} = 1\n",
    "costs_class.toml": f"[cost.{LONG}]\nfood = 1\n",
    "recipe_name.toml": f'[[recipe]]\nname = "{LONG}"\nalpha = -1\n',
    "recipe_key.toml": f"[[recipe]]\n{LONG} = 1\n",
    "recipe_value.toml": f'[[recipe]]\nmodel = "{LONG}"\n',
    "broken.toml": f"a = {LONG}\n",
    "dictionary.csv": f"{LONG},1\n",
}
LONG_COMMANDS = [
    "train header.csv -o o.textnb",
    "train label.csv -o o.textnb --prior a=1",
    "test model.textnb label.csv",
    "train value.jsonl -o o.textnb",
    "train key.jsonl -o o.textnb",
    "train line.jsonl -o o.textnb",
    "train line.jsonl -o o.textnb --skip-bad",
    "predict model.textnb corpus --costs cost.toml",
    "predict model.textnb corpus --costs costs_key.toml",
    "predict model.textnb corpus --costs costs_class.toml",
    "compare corpus --recipes recipe_name.toml",
    "compare corpus --recipes recipe_key.toml",
    "compare corpus --recipes recipe_value.toml",
    "compare corpus --recipes broken.toml",
    "train corpus -o o.textnb --tokenizer janome --user-dictionary dictionary.csv",
    f"train corpus -o o.textnb --alpha {LONG}",
    f"train corpus -o o.textnb --model {LONG}",
    f"compare corpus --folds {LONG}",
    f"words model.textnb --class {LONG}",
    f"predict model.textnb {LONG}",
    f"{LONG}",
]


@pytest.mark.parametrize("command", LONG_COMMANDS, ids=lambda command: command.replace(LONG, "LONG"))
def test_no_message_repeats_a_long_value(run, inputs, tmp_path, command):
    for name, content in LONG_FILES.items():
        (tmp_path / name).write_text(content)
    assert 0 < len(run(*command.split()).err) < 1000
