# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How fast our engine sends and measures 64-byte frames on one lcore, beside one that only moves them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from ..senders import engine
from .alternate import alternate, paired, rate
from .outcome import Outcome
from .registry import Settings

_WARM_UP_S = 0.3
_MEGA = 1e6


def measured_beside(
    peer: str, running: Callable[[], AbstractContextManager[Callable[[], int]]], settings: Settings, note: str
) -> Outcome:
    """Frames a second over a ring: made, sent, received, told apart, timed and ordered; and the peer's.

    Args:
        peer: What it is called.
        running: A context in which it runs, with a function that returns the frames it has sent.
        settings: How often, how long.
        note: What it does not do.
    """

    def ours() -> float:
        with engine.measuring() as received:
            return rate(received, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    def theirs() -> float:
        with running() as passed_on:
            return rate(passed_on, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    return paired(alternate({"ours": ours, peer: theirs}, settings.runs), peer, note=note)
