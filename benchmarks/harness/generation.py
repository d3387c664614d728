# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames into net_null, which takes all and sends none: nothing but the making of frames is measured."""

from __future__ import annotations

from TesterLibrary.model.plan.plan import PlannedStream

from ..senders import engine, testpmd
from .alternate import alternate, paired, rate
from .outcome import Outcome
from .registry import Settings

_WARM_UP_S = 0.3
_MEGA = 1e6


def generation(settings: Settings, stream: PlannedStream, *, peer: str = "txonly") -> Outcome:
    """Ours and testpmd's in turn. Each counts for itself, as there is nobody else to count.

    Args:
        settings: How long and how often.
        stream: What ours sends.
        peer: What testpmd does: its forward mode.
    """

    def theirs() -> float:
        with testpmd.sending("net_null0,no-rx=1", mode=peer) as sent:
            return rate(sent, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    name = testpmd.name(peer)
    return paired(
        alternate({"ours": lambda: into_nothing(settings, stream), name: theirs}, settings.runs), name
    )


def into_nothing(settings: Settings, *streams: PlannedStream) -> float:
    """How many millions of frames of all streams together our engine gives to net_null each second."""
    with engine.sending("vdev:net_null0", *streams) as sent:
        return rate(sent, settings.seconds, warm_up=_WARM_UP_S) / _MEGA
