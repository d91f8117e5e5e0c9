"""Runs the tests of the estimators with several versions of scikit-learn, each in a clean environment.

    .venv/bin/python scripts/experiments/sklearn_versions.py [VERSION ...]

1.6 is the newest 1.6.x, latest the newest of all. For each version the wheel of textnb, which is built once, is
installed with that scikit-learn and what it needs into a new virtual environment. Then run: scikit-learn's
check_estimator on every estimator, the comparison of the five naive Bayes classes with scikit-learn's, the programs in
the patterns of its user guide, TextClassifier in scikit-learn's checks and tools, and scikit-learn's own tests of naive
Bayes (scripts/experiments/sklearn_tests.py).
"""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("1.6", "1.7", "1.8", "latest")
TESTS = (
    "estimators/test_sklearn.py::test_scikit_learns_own_checks_pass",
    "estimators/test_drop_in.py",
    "estimators/test_programs.py",
    "classifier/test_estimator.py",
)
OLDER = {"1.6": ("scipy<1.16", "numpy<2.3", "pandas<3")}
"""Versions of other packages that an old scikit-learn needs."""


def main() -> int:
    wanted = sys.argv[1:] or VERSIONS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
        wheel = next(folder.glob("textnb-*.whl"))
        outcomes = [with_version(version, wheel, folder / f"environment-{version}") for version in wanted]
    return 0 if all(outcomes) else 1


def with_version(version: str, wheel: Path, folder: Path) -> bool:
    """Install, run and report; return whether everything passed."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    package = "scikit-learn" if version == "latest" else f"scikit-learn=={version}.*"
    packages = [str(wheel), package, *OLDER.get(version, ()), "pytest", "hypothesis", "pandas"]
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    versions = run(
        python, "-c", "import sklearn, scipy, numpy; print(sklearn.__version__, scipy.__version__, numpy.__version__)"
    )
    print("scikit-learn {}, scipy {}, numpy {}".format(*versions.stdout.split()), flush=True)
    tests = [str(ROOT / "tests" / name) for name in TESTS]
    options = ["-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    found = run(python, "-P", "-m", "pytest", *options, *tests, check=False, cwd=folder)
    print(f"  estimators: {last_line(found)}", flush=True)
    for line in re.findall(r"^(?:FAILED|ERROR) .*", found.stdout, re.MULTILINE):
        print(f"    {line}")
    theirs = run(python, "-P", str(ROOT / "scripts" / "experiments" / "sklearn_tests.py"), check=False, cwd=folder)
    print("\n".join(f"  {line}" for line in (theirs.stdout or theirs.stderr[-500:]).splitlines()), flush=True)
    return found.returncode == theirs.returncode == 0


def run(*command: str, check: bool = True, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)
    if check and done.returncode:
        sys.exit(f"{' '.join(command[:6])} ... failed:\n{done.stderr[-2000:]}")
    return done


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stdout or done.stderr).strip().splitlines()
    return re.sub(r" in [\d.]+s.*", "", lines[-1]) if lines else "no output"


if __name__ == "__main__":
    sys.exit(main())
