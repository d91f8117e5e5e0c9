"""Builds the C extension, which pyproject.toml cannot describe yet; without a compiler, textnb works without it."""

import os
import sys
from pathlib import Path
from sysconfig import get_config_var

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = "textnb/native"
WITH_HEADER = ("arguments", "hinge", "lattice", "mail", "pages", "rows", "scan", "terms")
WITHOUT_HEADER = (
    *("module", "lattice_type", "cutter_type", "counter_type", "page_functions"),
    *("class_sums", "row_scores", "term_union"),
)
WITHOUT = (
    "textnb: no C extension ({reason}); results are the same, but tokenizing Japanese takes about 25 times as long, "
    "fitting nb-logistic 10 times and reading mail 3 times"
)
FLAGS = {"msvc": ["/O2"], "unix": ["-O3", "-std=c99", "-fvisibility=hidden"]}
FREE_THREADED = bool(get_config_var("Py_GIL_DISABLED"))


class BuildOrSay(build_ext):
    """Builds the extension or prints in one line why not. TEXTNB_NO_EXTENSION skips it, TEXTNB_CFLAGS adds flags."""

    def build_extension(self, ext: Extension) -> None:
        """Build one extension."""
        if os.environ.get("TEXTNB_NO_EXTENSION"):
            self.say("TEXTNB_NO_EXTENSION is set")
            return
        if FREE_THREADED:
            self.say("a free-threaded Python has no stable ABI of 3.11")
            return
        more = os.environ.get("TEXTNB_CFLAGS", "").split()
        ext.extra_compile_args = FLAGS.get(self.compiler.compiler_type, []) + more
        ext.extra_link_args = more
        try:
            super().build_extension(ext)
        except Exception as error:  # compilers fail in many ways
            self.say(str(error).splitlines()[0])

    def say(self, reason: str) -> None:
        """Print why there is no extension, which pip shows with --verbose, and make the wheel pure."""
        print(WITHOUT.format(reason=reason), file=sys.stderr)
        for left_by_an_earlier_build in self.get_outputs():
            Path(left_by_an_earlier_build).unlink(missing_ok=True)
        self.distribution.ext_modules = []
        self.get_finalized_command("bdist_wheel").root_is_pure = True  # it was set for an extension


setup(
    cmdclass={"build_ext": BuildOrSay},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
    ext_modules=[
        Extension(
            "textnb._native",
            [f"{NATIVE}/{name}.c" for name in (*WITH_HEADER, *WITHOUT_HEADER)],
            depends=[f"{NATIVE}/{name}.h" for name in ("types", "hinge_kernel", *WITH_HEADER)],
            py_limited_api=True,
            optional=True,
        )
    ],
)
