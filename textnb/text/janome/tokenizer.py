"""Japanese words by Janome, exactly as Janome cuts them, whichever engine does the cutting."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, cast

from textnb.text.janome import check_engine, chosen_engine, engine_for, janome_version
from textnb.text.janome.user_dictionary import UserDictionary, as_user_dictionary
from textnb.text.morphemes import IPADIC_PARTS, Morphemes
from textnb.text.token import NOT_IN_RECIPE, Token, without_surrogates

if TYPE_CHECKING:
    from textnb._native import Cutter
    from textnb.text.janome.engines import NativeEngine


@dataclass(frozen=True)
class Janome(Morphemes):
    """Japanese words; by default exactly Janome's surfaces.

    form: what is counted, the ``surface`` or the ``base`` form. pos, exclude_pos: parts of speech to keep or to leave
    out, each a beginning of Janome's string (``名詞``, ``名詞,固有名詞``). stop_words: terms to leave out.
    user_dictionary: a path, or a UserDictionary. engine: ``native``, ``python`` or ``reference``, which differ in
    nothing but speed; ``auto`` is the fastest there is.

    >>> Janome(form="base", pos=("名詞", "動詞"))("庭で犬が走った")
    ['庭', '犬', '走る']
    """

    name: ClassVar[str] = "janome"
    user_dictionary: UserDictionary | None = None
    engine: str = field(default="auto", compare=False, repr=False, metadata=NOT_IN_RECIPE)

    def __post_init__(self) -> None:
        object.__setattr__(self, "user_dictionary", as_user_dictionary(self.user_dictionary))
        check_engine(self.engine)
        super().__post_init__()

    def known_parts(self) -> tuple[str, ...]:
        """IPADIC's, and those of the user's own words."""
        own = () if self.user_dictionary is None else self.user_dictionary.entries
        return (*IPADIC_PARTS, *sorted({entry.pos.split(",")[0] for entry in own}))

    @property
    def version(self) -> str:
        """Janome's version, which is its dictionary's too: Janome carries the dictionary inside."""
        return f"janome-{janome_version()}"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Janome's tokens, every one."""
        return engine_for(self.user_dictionary, self.engine).tokens(without_surrogates(text))

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Their surfaces, without a look into the dictionary's columns."""
        return engine_for(self.user_dictionary, self.engine).surfaces(without_surrogates(text))

    @property
    def runs_on(self) -> str:
        """The engine."""
        return chosen_engine(self.engine)

    @property
    def counts_natively(self) -> bool:
        """Where the engine is the native one."""
        return self.runs_on == "native"

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms."""
        return _cutter(replace(self, stop_words=()) if self.stop_words else self)


@lru_cache(8)
def _cutter(words: Janome) -> "Cutter":
    engine = cast("NativeEngine", engine_for(words.user_dictionary, "native"))
    return engine.cutter(words.form == "base", words.keeps_pos)
