"""Command line of textnb.

Exit codes: 0 done, 1 the input or the data is at fault, 2 usage (the command line is wrong, whatever the files hold),
130 interrupted; ``textnb filter`` and ``textnb imap`` have codes of their own.

Not public: CONTRIBUTING.md lists the public modules.
"""

import sys

import click

from textnb.cli.options.groups import CONTEXT
from textnb.cli.terminal import fail, prepare_streams, show_usage_error
from textnb.cli.verbs import LazyGroup
from textnb.errors import ParameterError, TextnbError
from textnb.version import __version__

__all__: list[str] = []

WRONG_USAGE = 2


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    epilog="""\b
Completion of verbs and options, for the present shell (add the line to its start-up file to keep it):
  bash  eval "$(_TEXTNB_COMPLETE=bash_source textnb)"
  zsh   eval "$(_TEXTNB_COMPLETE=zsh_source textnb)"
  fish  _TEXTNB_COMPLETE=fish_source textnb | source""",
)
@click.version_option(__version__, message="textnb %(version)s", help="Show the version and exit.")
def app() -> None:
    """Classify text with naive Bayes, Japanese first. `textnb VERB --help` has examples."""


def main() -> None:
    """Run the command line; an error of textnb is one line and exit code 1, or 2 if a parameter is at fault."""
    prepare_streams()
    try:
        if sys.argv[1:2] == ["filter"]:
            from textnb.cli.filter import run_filter

            sys.exit(run_filter(app))
        sys.exit(app(prog_name="textnb", standalone_mode=False) or 0)
    except click.ClickException as error:
        show_usage_error(error.show)
        sys.exit(error.exit_code)
    except click.Abort:
        raise KeyboardInterrupt from None  # `textnb.__main__` says so
    except MemoryError:
        fail("not enough memory; use fewer documents, fewer terms (--max-terms) or fewer classes")
    except ParameterError as error:
        fail(error, WRONG_USAGE)
    except (TextnbError, OSError) as error:
        fail(error)
