"""textnb info."""

from pathlib import Path

from textnb.classifier.facts import evidence_facts, found_facts, found_lines
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.terminal import print_json, print_table


def info(model: inputs.ModelPath, as_json: inputs.Json = False, trust: inputs.Trust = None) -> None:
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
        **recipe.options,
        "tokenizer": recipe.tokenizer.recipe,
        "engine here": recipe.tokenizer.runs_on,
        "analyzer": recipe.analyzer.recipe,
    }
    evidence = evidence_facts(classifier) if by_class else {}
    if as_json:
        print_json({**facts, **(found_facts(classifier) if by_class else {}), **evidence, "classes": by_class})
        return
    found = found_lines(classifier) if by_class else []
    found += [(name.replace("_", " "), f"{value:.6g}") for name, value in evidence.items()]
    print_table(["what", "value"], [*((name, str(value)) for name, value in facts.items()), *found])
    print_table(["class", "documents"], list(by_class.items()))
