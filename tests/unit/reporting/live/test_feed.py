# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages to a page, from the first one on."""

from __future__ import annotations

import itertools
import threading

from TesterLibrary.reporting.live.feed import Feed


def everything(feed: Feed) -> list[object]:
    """All messages that a new page gets."""
    found: list[object] = []
    number = -1
    while messages := feed.after(number, 0):
        found += [known.message for known in messages]
        number = messages[-1].number
    return found


def test_a_new_page_gets_what_there_is_and_one_that_knows_some_the_rest() -> None:
    feed = Feed()
    feed.add(*({"type": "trial", "n": n} for n in range(500)))
    assert everything(feed) == [{"type": "reset"}, *({"type": "trial", "n": n} for n in range(500))]
    assert [known.message["n"] for known in feed.after(498, 0)] == [498, 499]


def test_who_waits_is_told_as_soon_as_there_is_something() -> None:
    feed = Feed()
    got: list[object] = []
    waiting = threading.Thread(target=lambda: got.extend(feed.after(0, 60)))
    waiting.start()
    feed.add({"type": "trial"})
    waiting.join(30)
    assert [known.message for known in got] == [{"type": "trial"}]  # type: ignore[attr-defined]


def test_after_a_reset_nothing_old_is_told_and_numbers_go_on() -> None:
    feed = Feed()
    feed.add({"type": "trial"})
    feed.reset()
    feed.add({"type": "test"})
    assert everything(feed) == [{"type": "reset"}, {"type": "test"}]
    assert [known.message["type"] for known in feed.after(1, 0)] == ["reset", "test"]


def test_a_week_of_counters_stays_small_and_nothing_else_is_left_out() -> None:
    feed = Feed()
    for n in range(100_000):
        feed.add({"type": "counters", "n": n}, thin=True)
        if n % 1000 == 0:
            feed.add({"type": "verdict", "n": n})
    told = everything(feed)
    verdicts = [message["n"] for message in told if message["type"] == "verdict"]  # type: ignore[index]
    counters = [message["n"] for message in told if message["type"] == "counters"]  # type: ignore[index]
    assert verdicts == list(range(0, 100_000, 1000))
    assert len(counters) <= 4_000
    assert counters[-100:] == list(range(99_900, 100_000))
    assert counters == sorted(counters)
    gaps = [later - earlier for earlier, later in itertools.pairwise(counters[:-1000])]
    assert counters[0] == 0
    assert max(gaps) <= 64  # evenly, over the whole time
