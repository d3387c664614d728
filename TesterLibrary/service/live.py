# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The live pages of jobs: the page of `tester watch`, behind the door of the service."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from weakref import finalize

from ..reporting.live.feed import Feed
from ..reporting.live.follow import Follower
from ..reporting.live.server import LAST_EVENT, MOST_PAGES, event_of, known_number
from ..reporting.record.record_place import EVIDENCE
from .refusal import TooMany

_QUIET_S = 1.0
_OF_A_USER = 12  # pages, of MOST_PAGES: others have the rest


@dataclass
class _Followed:
    """A run whose files are followed while somebody looks at its page."""

    feed: Feed
    follower: Follower
    pages: int = 0


class LivePages:
    """The pages that are open."""

    def __init__(self) -> None:
        self._runs: dict[Path, _Followed] = {}
        self._pages: Counter[str] = Counter()  # by user
        self._threads = ThreadPoolExecutor(MOST_PAGES, "live page")
        self._is_closing = False

    async def events(self, run: Path, last_event: str, user: str) -> AsyncIterator[bytes]:
        """The messages to a page, until it is closed. TooMany, before the first one, if too many are open."""
        if self._pages.total() >= MOST_PAGES:
            raise TooMany(f"{MOST_PAGES} live pages are open already; close one of them")
        if self._pages[user] >= _OF_A_USER:
            raise TooMany(
                f"{_OF_A_USER} live pages of {user or 'nobody'} are open already; close one of them"
            )
        followed = self._runs.get(run)
        if followed is None:
            feed = Feed()
            followed = self._runs[run] = _Followed(feed, Follower(run, run / EVIDENCE, feed))
            followed.follower.start()
        followed.pages += 1
        self._pages[user] += 1
        page = self._told(followed.feed, last_event)
        # Not when it ends: one whose client has gone before its first message never begins.
        finalize(page, self._left, run, user)
        return page

    async def _told(self, feed: Feed, last_event: str) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        number = known_number(feed, last_event)
        while not self._is_closing:
            messages = await loop.run_in_executor(self._threads, feed.after, number, _QUIET_S)
            if messages:
                number = messages[-1].number
                yield event_of(feed, messages)
        yield LAST_EVENT

    def _left(self, run: Path, user: str) -> None:
        followed = self._runs[run]
        self._pages[user] -= 1
        followed.pages -= 1
        if not followed.pages:
            del self._runs[run]
            followed.follower.stop()

    def close(self) -> None:
        """Tells the pages that this is all."""
        self._is_closing = True
        self._threads.shutdown(wait=False)
