"""Runs scikit-learn's own tests of naive Bayes on textnb's classes.

    .venv/bin/python scripts/experiments/sklearn_tests.py [--version VERSION] [--keep FOLDER]

Fetches the source distribution of scikit-learn with pip, takes tests/test_naive_bayes.py out of it, puts
`textnb.estimators` in place of `sklearn.naive_bayes` in its import, and runs it. Nothing of scikit-learn's is kept in
the project. Tests of the array API are left out. Tests that are known to fail are named in EXPECTED, each with the
reason, and in ROUNDING those of older versions; another failure, or an expected one that passes, makes the exit code 1.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

PRIVATE = "calls {name}, a private method of scikit-learn's class"
EXPECTED = {
    "test_alpha_vector": PRIVATE.format(name="_check_alpha"),
    "test_check_alpha": PRIVATE.format(name="_check_alpha"),
    "test_gnb_check_update_with_no_data": PRIVATE.format(name="_update_mean_variance"),
}
ROUNDING = {
    "test_predict_joint_proba": "compares logarithms of almost 1 without an absolute tolerance; they differ by 1e-14"
}
"""Tests of older versions that may fail, with the reason."""
IMPORT = "from sklearn.naive_bayes import ("


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--version", default=version("scikit-learn"), help="of the tests; default: as installed")
    arguments.add_argument("--keep", type=Path, help="folder to keep the tests in")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "test_naive_bayes.py"
        path.write_text(with_textnb(tests_of(given.version, folder)), encoding="utf-8")
        outcomes = run(path)
    return report(given.version, outcomes)


def tests_of(wanted: str, folder: Path) -> str:
    """Return the text of test_naive_bayes.py from the source distribution."""
    (folder / "mesonpy.py").write_text(BACKEND.format(version=wanted), encoding="utf-8")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    fetch += ["--no-binary", "scikit-learn", "--dest", str(folder), f"scikit-learn=={wanted}"]
    subprocess.run(fetch, check=True, env={**os.environ, "PYTHONPATH": str(folder)})
    with tarfile.open(next(folder.glob("scikit_learn-*.tar.gz"))) as files:
        name = next(name for name in files.getnames() if name.endswith("sklearn/tests/test_naive_bayes.py"))
        member = files.extractfile(name)
        assert member is not None
        return member.read().decode()


# pip asks the build system of a source distribution for the name and version; scikit-learn's would need a compiler.
BACKEND = """
from pathlib import Path

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    metadata = Path(folder) / "scikit_learn-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\\nName: scikit-learn\\nVersion: {version}\\n")
    return metadata.name
"""


def with_textnb(source: str) -> str:
    assert source.count(IMPORT) == 1, "the import of scikit-learn's classes has changed"
    return source.replace(IMPORT, "from textnb.estimators import (")


def run(path: Path) -> dict[str, str]:
    """Return the outcome of each test: an empty string, or why it failed."""
    results = path.parent / "results.xml"
    options = ["-q", "-p", "no:cacheprovider", "-p", "sklearn.conftest", "--rootdir", str(path.parent)]
    command = [sys.executable, "-m", "pytest", *options, "-k", "not array_api", f"--junitxml={results}", str(path)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, cwd=path.parent)
    cases = ElementTree.parse(results).iter("testcase")
    return {case.get("name", ""): outcome_of(case) for case in cases if case.find("skipped") is None}


def outcome_of(case: ElementTree.Element) -> str:
    for kind in ("failure", "error"):
        found = case.find(kind)
        if found is not None:
            return f"{kind}: {(found.get('message') or '').splitlines()[0]}"
    return ""


def function_of(name: str) -> str:
    """Name of a test without its parameters."""
    return name.partition("[")[0]


def report(tests: str, outcomes: dict[str, str]) -> int:
    failed = {name: why for name, why in outcomes.items() if why}
    print(f"tests of scikit-learn {tests}, run with scikit-learn {version('scikit-learn')}")
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} pass on textnb's classes; array API left out")
    for name, why in failed.items():
        print(f"  {name}: {(EXPECTED | ROUNDING).get(function_of(name), why)}")
    known = (EXPECTED | ROUNDING).keys()
    surprising = {name for name in failed if function_of(name) not in known}
    surprising |= {name for name in EXPECTED if not outcomes[name]}
    for name in sorted(surprising):
        print(f"  unexpected: {name}")
    return 1 if surprising else 0


if __name__ == "__main__":
    sys.exit(main())
