# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames into net_null, which takes all and sends none: nothing but the making of frames is measured."""

from __future__ import annotations

from ..senders import engine, testpmd
from .alternate import alternate, paired, rate
from .outcome import Outcome
from .registry import Settings

_WARM_UP_S = 0.3
_MEGA = 1e6


def generation(settings: Settings, *, signature: bool) -> Outcome:
    """Ours and testpmd's in turn. Each counts for itself, as there is nobody else to count."""

    def ours() -> float:
        with engine.sending("vdev:net_null0", signature=signature) as sent:
            return rate(sent, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    def theirs() -> float:
        with testpmd.sending("net_null0,no-rx=1") as sent:
            return rate(sent, settings.seconds, warm_up=_WARM_UP_S) / _MEGA

    return paired(alternate({"ours": ours, testpmd.NAME: theirs}, settings.runs), testpmd.NAME)
