"""A round over an account: what its owner has put into folders is learnt first, then what is new is judged.

The memory of the account is locked meanwhile, so that of several programs each waits for the one before.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from textnb.mail.imap.connection import Account, Client
from textnb.mail.imap.correcting import learn_from
from textnb.mail.imap.memory import Memory, memory_path
from textnb.mail.imap.sorting import sort_folder
from textnb.mail.imap.visit import Event, Plan, Visit
from textnb.mail.live_filter import LiveFilter
from textnb.storage import locked


class Rounds:
    """One round after the other. stopping: whether to end after the batch at hand.

    What is not done in earnest is remembered only between rounds, and in no file.
    """

    def __init__(
        self, account: Account, plan: Plan, live: LiveFilter, stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self.path, self.plan, self.live, self.stopping = memory_path(account), plan, live, stopping
        self._imagined: Memory | None = None

    def round(self, client: Client) -> Iterator[Event]:
        """A round, as it happens."""
        with self._locked():
            visit = Visit(client, self.plan, self.live, self._memory(), self.stopping)
            for folder, label in visit.lessons.items():
                if folder != visit.here and not self.stopping():
                    yield from learn_from(visit, folder, label)
            if not self.stopping():
                yield from sort_folder(visit)
        self.plan = replace(self.plan, again=False)  # all have been judged again

    def _memory(self) -> Memory:
        if self.plan.apply:
            return Memory.read(self.path)
        self._imagined = self._imagined or Memory.read(self.path)
        return self._imagined

    def _locked(self) -> AbstractContextManager[None]:
        if not self.plan.apply:
            return nullcontext()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return locked(self.path)
