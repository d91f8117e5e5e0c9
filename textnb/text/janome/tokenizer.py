"""The tokenizer ``janome``: Japanese words, exactly as Janome splits them, whichever engine runs."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, cast

from textnb.text.janome.engines import NativeEngine, check_engine, chosen_engine, engine_for
from textnb.text.janome.installed import janome_version
from textnb.text.janome.user_dictionary import UserDictionary, as_user_dictionary
from textnb.text.morphemes import IPADIC_PARTS, Morphemes
from textnb.text.token import NOT_IN_RECIPE, Token, without_surrogates

if TYPE_CHECKING:
    from textnb._native import Cutter


@dataclass(frozen=True)
class Janome(Morphemes):
    """Japanese words; by default exactly Janome's surfaces.

    Parameters
    ----------
    form : {"surface", "base"}, default "surface"
        What is counted: the word as written, or its base form.
    pos, exclude_pos : str or list of str
        Parts of speech to keep, or to leave out: each the beginning of Janome's string (``名詞``, ``名詞,固有名詞``).
    stop_words : list of str
        Terms to leave out.
    user_dictionary : str, Path, list of (surface, pos, reading), UserDictionary or None
        Words of your own: the path of a CSV file in one of Janome's formats, the words themselves, or a UserDictionary.
    engine : {"auto", "native", "python", "reference"}, default "auto"
        What splits the text; all give the same tokens. ``native`` is C, ``reference`` is Janome itself, ``auto`` is
        the fastest that is installed.

    Examples
    --------
    >>> Janome(form="base", pos=["名詞", "動詞"])("庭で犬が走った")
    ['庭', '犬', '走る']
    >>> Janome(pos="名詞", user_dictionary=[("犬小屋", "名詞", "イヌゴヤ")])("犬小屋で寝る")
    ['犬小屋']
    """

    name: ClassVar[str] = "janome"
    user_dictionary: UserDictionary | None = None
    engine: str = field(default="auto", compare=False, repr=False, metadata=NOT_IN_RECIPE)

    def __post_init__(self) -> None:
        if self.user_dictionary is not None:
            object.__setattr__(self, "user_dictionary", as_user_dictionary(self.user_dictionary))
        check_engine(self.engine)
        super().__post_init__()

    @property
    def known_parts(self) -> tuple[str, ...]:
        """Main parts of speech of IPADIC and of the user's own words."""
        own = () if self.user_dictionary is None else self.user_dictionary.entries
        return (*IPADIC_PARTS, *sorted({entry.pos.split(",")[0] for entry in own}))

    @property
    def version(self) -> str:
        """Version of Janome, which contains its dictionary."""
        return f"janome-{janome_version()}"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Tokens of Janome before any filter."""
        return engine_for(self.user_dictionary, self.engine).tokens(without_surrogates(text))

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Surfaces of Janome's tokens."""
        return engine_for(self.user_dictionary, self.engine).surfaces(without_surrogates(text))

    @property
    def runs_on(self) -> str:
        """Name of the engine."""
        return chosen_engine(self.engine)

    @property
    def counts_natively(self) -> bool:
        """True if the engine is the native one."""
        return self.runs_on == "native"

    @property
    def cutter(self) -> "Cutter":
        """Object of the C extension that finds the same terms, stop words included."""
        return _cutter(replace(self, stop_words=()) if self.stop_words else self)


@lru_cache(8)
def _cutter(words: Janome) -> "Cutter":
    engine = cast("NativeEngine", engine_for(words.user_dictionary, "native"))
    return engine.cutter(words.form == "base", words.keeps_pos)
