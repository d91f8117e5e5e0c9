"""textnb info."""

from pathlib import Path

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.output import print_json, print_table


def info(model: options.ModelPath, as_json: options.Json = False, trust: options.Trust = None) -> None:
    """Show what a model is made of: its recipe, its classes, what it has learnt.

    Example:

        textnb info news.textnb
    """
    classifier = TextClassifier.load(model, trust or ())
    learnt, recipe = classifier.learnt, classifier.recipe
    by_class = dict(zip(learnt.counts.classes, learnt.counts.documents.tolist(), strict=True))
    used = len(classifier.fitted.vocabulary) if by_class else 0
    facts = {
        "file": str(model),
        "bytes": Path(model).stat().st_size,
        "documents": len(learnt.digests),
        "terms": learnt.counts.n_terms,
        "terms used": used,
        "model": recipe.model,
        "alpha": recipe.alpha,
        "prior": recipe.prior,
        "weighting": recipe.weighting,
        "tokenizer": recipe.tokenizer.recipe,
        "engine here": recipe.tokenizer.runs_on,
        "analyzer": recipe.analyzer.recipe,
    }
    if as_json:
        print_json({**facts, "classes": by_class})
        return
    print_table(["what", "value"], [(name, str(value)) for name, value in facts.items()])
    print_table(["class", "documents"], list(by_class.items()))
