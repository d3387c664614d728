# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of checking the headers of frames whose fields change from frame to frame."""

from __future__ import annotations

from .harness.alternate import alternate, paired, rate
from .harness.edited import five_tuple_measured
from .harness.outcome import Outcome, at_least
from .harness.registry import Settings, benchmark
from .senders import engine

_WARM_UP_S = 0.3
_MEGA = 1e6
_NOT_CHECKED = "not checked"


@benchmark(unit="Mpps", bound=at_least(0.91))
def check_headers_64(settings: Settings) -> Outcome:
    """Edited 64-byte frames over a ring, one lcore, headers compared and checksums looked at"""

    def checked() -> float:
        return _measured(settings, headers_checked=True)

    def not_checked() -> float:
        return _measured(settings, headers_checked=False)

    return paired(alternate({"ours": checked, _NOT_CHECKED: not_checked}, settings.runs), _NOT_CHECKED)


def _measured(settings: Settings, *, headers_checked: bool) -> float:
    stream = five_tuple_measured(headers_checked=headers_checked)
    with engine.looping(stream) as received:
        return rate(received, settings.seconds, warm_up=_WARM_UP_S) / _MEGA
