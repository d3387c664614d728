# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The live pages of runs: of jobs behind the door of the service, and that of `tester watch`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from weakref import finalize

from starlette.responses import Response, StreamingResponse

from ..files.paths import report_file
from ..reporting.live.feed import Feed, Numbered
from ..reporting.live.follow import Follower
from ..reporting.live.page_messages import encoded
from .refusal import TooMany

MOST_PAGES = 16
_OF_A_USER = 12  # pages, of MOST_PAGES: others have the rest
LAST_EVENT = b'event: end\ndata: ""\n\n'
PARTS = {  # of the page, by path: the file, and its kind
    "/": ("live/watch.html", "text/html; charset=utf-8"),
    "/watch.css": ("live/watch.css", "text/css; charset=utf-8"),
    "/watch.js": ("live/watch.js", "text/javascript; charset=utf-8"),
    "/uPlot.js": ("live/uPlot/uPlot.js", "text/javascript; charset=utf-8"),
    "/uPlot.css": ("live/uPlot/uPlot.css", "text/css; charset=utf-8"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'"
_EVENTS = "text/event-stream; charset=utf-8"
_QUIET_S = 1.0  # longest wait for news before the end is looked for


def headers(policy: str = POLICY) -> dict[str, str]:
    """Those of everything that a page consists of, or leads to."""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": policy,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def part(path: str) -> Response:
    """A part of the page."""
    file, kind = PARTS[path]
    return Response(report_file(file).read_bytes(), headers={**headers(), "Content-Type": kind})


@dataclass
class _Followed:
    """A run whose files are followed while somebody looks at its page."""

    feed: Feed
    follower: Follower
    pages: int = 0


class LivePages:
    """The pages that are open."""

    def __init__(self, of_a_user: int = _OF_A_USER) -> None:
        """`of_a_user`: the most pages of one user."""
        self._of_a_user = of_a_user
        self._runs: dict[Path, _Followed] = {}
        self._pages: Counter[str] = Counter()  # by user
        self._threads = ThreadPoolExecutor(MOST_PAGES, "live page")
        self._is_closing = False

    def events(self, run: Path, evidence: Path, last_event: str, user: str = "") -> Response:
        """The messages to a page, until it is closed. TooMany if too many are open.

        Args:
            run: The folder with the reports.
            evidence: That with the records.
            last_event: The id of the last one that the page has got before its connection broke.
            user: Who looks at it.
        """
        if self._pages.total() >= MOST_PAGES:
            raise TooMany(f"{MOST_PAGES} live pages are open already; close one of them")
        if self._pages[user] >= self._of_a_user:
            raise TooMany(
                f"{self._of_a_user} live pages of {user or 'nobody'} are open already; close one of them"
            )
        followed = self._runs.get(run)
        if followed is None:
            feed = Feed()
            followed = self._runs[run] = _Followed(feed, Follower(run, evidence, feed))
            followed.follower.start()
        if self._is_closing:
            followed.feed.close()
        followed.pages += 1
        self._pages[user] += 1
        page = self._told(followed.feed, last_event)
        # Not when it ends: one whose client has gone before its first message never begins.
        finalize(page, self._left, run, user)
        return StreamingResponse(page, headers={**headers(), "Content-Type": _EVENTS})

    async def _told(self, feed: Feed, last_event: str) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        number = _known_number(feed, last_event)
        while True:
            ending = feed.is_closed  # looked at first: what is told before the end is not missed
            messages = await loop.run_in_executor(self._threads, feed.after, number, _QUIET_S)
            if messages:
                number = messages[-1].number
                yield _event_of(feed, messages)
            elif ending:
                yield LAST_EVENT
                return

    def _left(self, run: Path, user: str) -> None:
        followed = self._runs[run]
        self._pages[user] -= 1
        followed.pages -= 1
        if not followed.pages:
            del self._runs[run]
            followed.follower.stop()

    def close(self) -> None:
        """Tells the pages what came last, and that this is all."""
        self._is_closing = True
        for followed in list(self._runs.values()):
            followed.follower.stop()
            followed.feed.close()


def _known_number(feed: Feed, last_event: str) -> int:
    """The number of the last message that a page has got before its connection broke; -1 if it has none."""
    token, _, number = last_event.partition("-")
    is_own = token == feed.token and number.isdecimal() and len(number) < 16
    return int(number) if is_own else -1


def _event_of(feed: Feed, messages: Sequence[Numbered]) -> bytes:
    """Messages as one server-sent event."""
    content = ",".join(encoded(known.message) for known in messages)
    return f"id: {feed.token}-{messages[-1].number}\ndata: [{content}]\n\n".encode()
