"""Groups of options as dataclasses, and verbs whose help shows each group under its own heading.

A group is a frozen dataclass whose fields are made by `option` and `flag`. `takes` gives a verb all options of a group
and passes their values to it as one object:

    @dataclass(frozen=True)
    class Reading:
        section: ClassVar = "Reading"
        text: str | None = option("COLUMN", "Column of the text.")

    @verb
    @takes(reading=Reading)
    def count(reading: Reading) -> None: ...
"""

import inspect
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import Field, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click
from click.core import ParameterSource

from textnb.cli.help_pages import SpokenCommand
from textnb.errors import ParameterError, Phrase

FILE = click.Path(path_type=Path)
"""Type of options and arguments that name a file or folder; the verb itself checks that it exists."""

CONTEXT: dict[str, Any] = {"help_option_names": ["--help", "-h"], "max_content_width": 100, "show_default": True}
"""Settings of every help page: both names of --help, its width, and defaults shown."""

_TYPES: dict[Any, Any] = {Path: FILE, int: int, float: float}
"""Types of options, by the annotations of their fields; strings need none."""

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


def option(metavar: str | None, help: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """Return a field of a group: an option whose name and type follow from the field; repeatable if its default is ().

    `names` replace the name that follows from the field; `settings` are those of `click.Option`.
    """
    settings |= {"metavar": metavar, "help": help, "multiple": default == ()}
    return field(default=default, metadata={"names": names, "settings": settings})


def flag(help: str, *names: str, default: bool = False) -> Any:
    """Return a field of a group: an option without a value."""
    return field(default=default, metadata={"names": names, "settings": {"help": help, "is_flag": True}})


def takes(rare: Collection[str] = (), **groups: Any) -> Decorator:
    """Give a verb the options of each group; it receives one object per group, by the keyword used here.

    The help does not list the fields that `rare` names.
    """

    def decorate(function: Function) -> Function:
        for name, group in reversed(groups.items()):
            parameters = [_parameter(each, group.section, each.name in rare) for each in fields(group)]
            function = gather(name, group, *parameters)(function)
        return function

    return decorate


def gather(name: str, group: Any, *parameters: Decorator) -> Decorator:
    """Give a verb these parameters; it receives them as one object of the dataclass `group`, by the keyword `name`."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def gathered(**given: Any) -> Any:
            values = {each.name: given.pop(each.name) for each in fields(group)}
            return function(**given, **{name: group(**values)})

        result: Function = gathered
        for parameter in reversed(parameters):
            result = parameter(result)
        return result

    return decorate


def _parameter(each: Field[Any], section: str, rare: bool) -> Decorator:
    types = [_TYPES[each_type] for each_type in (each.type, *get_args(each.type)) if each_type in _TYPES]
    settings = {"type": types[0] if types else None, **each.metadata["settings"]} | ({"hidden": True} if rare else {})
    return click.option(
        each.name, *_names_of(each), default=each.default, cls=SectionOption, section=section, **settings
    )


def _names_of(each: Field[Any]) -> tuple[str, ...]:
    return each.metadata["names"] or (f"--{each.name.replace('_', '-')}",)


def option_words(each: Field[Any], value: Any) -> Iterator[str]:
    """Yield the words of a command line that give a field of a group this value; none for its default."""
    if value in (each.default, None, ""):
        return
    yes, _, no = _names_of(each)[0].partition("/")
    if isinstance(value, bool):
        yield yes if value else no
        return
    for one in value if isinstance(value, tuple) else [value]:
        yield from (yes, str(one))


def given_options(*names: str) -> list[str]:
    """Return those of these options that the command line gives, as it writes them (``--folds``)."""
    context = click.get_current_context(silent=True)
    if context is None:
        return []
    given = {each for each in names if context.get_parameter_source(each) is ParameterSource.COMMANDLINE}
    return [max(each.opts, key=len) for each in context.command.params if each.name in given]


def check_unused(*names: str, why: str) -> None:
    """Refuse options that are given although they have no effect; `why` says where, as in ``with --json``."""
    if given := given_options(*names):
        template = "{options} would have no effect {why}; leave out one or the other"
        raise ParameterError(template, options=" and ".join(given), why=Phrase(why))


class SectionOption(click.Option):
    """An option that the help shows in a section of its own heading."""

    def __init__(self, *names: Any, section: str, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.section = section


class DocumentedArgument(click.Argument):
    """An argument that the help explains."""

    def __init__(self, *names: Any, about: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.about = about


def argument(name: str, metavar: str, about: str, **settings: Any) -> Decorator:
    """Give a verb an argument; `about` explains it in the help."""
    return click.argument(name, metavar=metavar, cls=DocumentedArgument, about=about, **settings)


class Verb(SpokenCommand):
    """A command whose help has sections, and whose examples are shown as they are written.

    An indented paragraph of the docstring is an example. The lines of all other paragraphs are filled.
    """

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, context_settings=dict(CONTEXT), **settings)
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        self.help = "\n\n".join("\b\n" + each if each.startswith("    ") else each for each in paragraphs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; every error of usage shows the usage line of this verb."""
        try:
            if not ctx.resilient_parsing:
                self._check_repeated(ctx, args)
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def _check_repeated(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse an option that takes one value, or says yes or no, and is given more than once."""
        *_, given = self.make_parser(ctx).parse_args(list(args))
        for param, times in Counter(given).items():
            if times > 1 and isinstance(param, click.Option) and _may_be_given_once(param):
                raise click.UsageError(f"Option {param.opts[0]!r} may be given once only; it was given {times} times.")


def _may_be_given_once(param: click.Option) -> bool:
    """Whether a second value of an option would replace the first."""
    return not (param.multiple or param.count) and (not param.is_flag or bool(param.secondary_opts))


def verb(function: Function) -> click.Command:
    """Return the verb that calls the function; its name is the function's."""
    return click.command(function.__name__, cls=Verb)(function)
