"""What is in the wheel, and under which tag: with the C extension for the stable ABI, without it for any platform."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "textnb", "corpora")
EXTENSION = "textnb/_native.pyd" if sys.platform == "win32" else "textnb/_native.abi3.so"
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "licenses/LICENSE"}
QUICKLY = "" if sys.platform == "win32" else "-O0"  # what is in a wheel does not depend on how it was compiled
NEEDED = 77  # of setuptools, as in pyproject.toml

pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").is_file(), reason="needs the sources, which are not here")


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build needs: the checkout stays as it is, and one build meets what the one before it left."""
    folder = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is named by the environment, or one that is built now."""
    if given := os.environ.get("TEXTNB_WHEEL"):
        return Path(given)
    if find_spec("textnb._native") is None:
        pytest.skip("textnb is without its C extension here")
    built, _ = build(source, tmp_path_factory.mktemp("wheel"), TEXTNB_CFLAGS=QUICKLY)
    return built


def build(source: Path, into: Path, **env: str) -> tuple[Path, str]:
    """The wheel, and what was said while it was built. Needs no network."""
    if find_spec("build") is None or setuptools() < NEEDED:
        pytest.skip(f"needs the packages build and setuptools>={NEEDED}")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(source)]
    clean = {name: value for name, value in os.environ.items() if name != "TEXTNB_NO_EXTENSION"}
    done = subprocess.run(command, env=clean | env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = into.glob("*.whl")
    return made, done.stdout + done.stderr


def setuptools() -> int:
    try:
        return int(version("setuptools").split(".")[0])
    except PackageNotFoundError:
        return 0


def files(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def tags(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/WHEEL")]
        lines = archive.read(name).decode().splitlines()
    return {value for key, _, value in (line.partition(": ") for line in lines) if key == "Tag"}


def expected(source: Path, wheel: Path) -> set[str]:
    """Every module and style sheet, what type checkers read, the corpora, the metadata; not the extension."""
    package = source / "textnb"
    modules = {
        path.relative_to(source).as_posix() for kind in ("*.py", "*.css", "*.po") for path in package.rglob(kind)
    }
    corpora = {path.relative_to(source / "corpora") for path in (source / "corpora").rglob("*") if path.is_file()}
    name = "-".join(wheel.name.split("-")[:2])
    return (
        modules
        | {"textnb/py.typed", "textnb/_native.pyi"}
        | {f"textnb/bundled/{path.as_posix()}" for path in corpora}
        | {f"{name}.dist-info/{file}" for file in METADATA}
    )


def test_the_wheel_holds_package_corpora_and_extension_and_nothing_else(wheel: Path, source: Path) -> None:
    assert files(wheel) == expected(source, wheel) | {EXTENSION}


def test_the_wheel_is_for_the_stable_abi(wheel: Path) -> None:
    assert tags(wheel)
    assert {tag.rsplit("-", 1)[0] for tag in tags(wheel)} == {"cp311-abi3"}
    assert "any" not in {tag.rsplit("-", 1)[1] for tag in tags(wheel)}


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({"TEXTNB_NO_EXTENSION": "1"}, "TEXTNB_NO_EXTENSION is set"),
        pytest.param(
            {"CC": "/nonexistent"},
            "/nonexistent",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="MSVC does not heed CC"),
        ),
    ],
)
def test_without_the_extension_the_wheel_is_for_any_platform_and_says_so_once(
    env: dict[str, str], reason: str, source: Path, tmp_path: Path
) -> None:
    made, said = build(source, tmp_path, **env)
    assert tags(made) == {"py3-none-any"}
    assert files(made) == expected(source, made)
    (line,) = [line for line in said.splitlines() if "textnb: no C extension" in line]
    assert reason in line
