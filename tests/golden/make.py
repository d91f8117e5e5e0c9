"""Write the golden files again, by hand: ``python tests/golden/make.py [--models] [NAME ...]``.

Without options this runs all transcripts in ``verbs/`` again and rewrites them; with names, only those. Look at the
changes with ``git diff``. With ``--models`` it writes the model files, the count file and ``answers.json`` instead. Do
that only to start anew: these files prove that later versions read what an earlier one wrote.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from golden.answers import ANSWERS, JA_MAIL, MODELS, answers, model_files  # noqa: E402
from golden.transcript import VERBS, commands, prepare, prepare_shared, transcript  # noqa: E402

from textnb import Analyzer, TextClassifier, read_corpus  # noqa: E402
from textnb.estimators import ComplementNB, MultinomialNB, TextUNB  # noqa: E402

NAMES = (
    *("multinomial", "bernoulli", "complement", "compound", "gaussian", "unb", "logistic", "nb-logistic"),
    *("bayes-logistic", "least-squares", "fisher", "gaussian-discriminant", "mail"),
)
TRAINED = {
    **{name: f"tiny.csv --model {name}" for name in NAMES},
    "alpha-zero-uncalibrated": "tiny.csv --alpha 0 --no-calibrate",
    "alpha-leave-one-out": "tiny.csv --alpha leave-one-out",
    "alpha-evidence-class": "tiny.csv --alpha evidence-class",
    "alpha-evidence-document": "tiny.csv --alpha evidence-document --weighting raw",
    "gaussian-class-variance": "tiny.csv --model gaussian --variance class",
    "nb-logistic-options": "tiny.csv --model nb-logistic --loss logistic --prune 0.5 --l2 0.1 --balanced --ngram 1",
    "sample-zero": "tiny.csv --sample 0",
    "logistic-sample-zero": "tiny.csv --model logistic --sample 0",
    "prior-given": "tiny.csv --prior computing=0.5,cooking=0.3,sport=0.2",
    "user-dictionary": "tiny.csv --tokenizer janome --base-form --exclude-pos 助詞 --user-dictionary words.csv",
    "terms": "tiny.csv --ngram 1-2 --features first-line,length --min-df 2 --normalise nfkc,casefold,urls,numbers",
    "chars": "tiny.csv --tokenizer chars --chars-n 1-2 --max-terms 300",
    "mail-corpus": "mail --model mail",
    "mail-corrected": "mail --model mail --stacked-from 10",
}
ESTIMATORS = {
    "estimator-complement": ComplementNB(
        alpha=0.5, tf=True, idf=True, length_norm=True, weight_norm=True, prior="empirical"
    ),
    "estimator-multinomial": MultinomialNB(alpha=1.5, estimate="map", prior="uniform"),
    "estimator-unb": TextUNB(pi=0.5, alpha=0.5, norm="u", complement=True),
}


def textnb(line: str, folder: Path) -> None:
    """Run the command line; end if it fails."""
    text = transcript([f"textnb {line}"], folder)
    if "\nexit 0\n" not in text:
        sys.exit(text)


def write_models(folder: Path) -> None:
    """Write all models, the count file and the answers."""
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    for name, line in TRAINED.items():
        textnb(f"train {line} -o {name}.textnb", folder)
    for name, estimator in ESTIMATORS.items():
        classifier = TextClassifier(estimator, analyzer=Analyzer(normalisers=["nfkc", "casefold"]))
        classifier.fit(read_corpus(folder / "tiny.csv")).save(folder / f"{name}.textnb")
    shutil.copy(JA_MAIL / "spam" / "13.eml", folder / "correction")
    textnb("learn mail-corrected.textnb --as spam < correction", folder)
    textnb("calibrate multinomial.textnb held-out.csv -o held-out.textnb", folder)
    textnb("update held-out.textnb later.csv -o held-out-stale.textnb", folder)
    textnb("count tiny.csv -o tiny.counts", folder)
    shutil.copy(folder / "tiny.counts", HERE / "counts")
    for path in folder.glob("*.textnb"):
        shutil.copy(path, MODELS)
    found = {name: answers(TextClassifier.load(path)) for name, path in model_files().items()}
    ANSWERS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write_transcripts(shared: Path, names: list[str]) -> None:
    """Run transcripts again, all of them if none is named."""
    for path in sorted(VERBS.glob("*.txt")):
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                lines = commands(path.read_text(encoding="utf-8"))
                path.write_text(transcript(lines, prepare(Path(folder), shared)), encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        common = prepare_shared(Path(made))
        if "--models" in sys.argv[1:]:
            write_models(common)
        else:
            write_transcripts(common, sys.argv[1:])
