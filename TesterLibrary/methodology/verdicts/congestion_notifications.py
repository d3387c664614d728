# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on congestion notifications of RoCEv2: whether marks lead to them, and not too often."""

from __future__ import annotations

from collections.abc import Sequence

from ...measurement.traces.congestion_notifications import CongestionNotifications, Scope
from ...model.units.units import Duration
from ...verdict import EQUAL, Verdict, assess


def notified_of_congestion(
    found: CongestionNotifications,
    scope: Scope,
    interval: Duration,
    within: Duration,
    tolerance: Duration,
) -> Verdict:
    """Whether each mark is told in time, or another one of its scope was shortly before; and nothing else.

    A notification may follow a packet out of sequence, as some NICs send it: that is a remark.

    INCONCLUSIVE where nothing was marked, and where two are closer to each other than the interval, but not
    by more than the tolerance.

    Args:
        found: What a trace has.
        scope: The notifications between which the interval is kept.
        interval: The least time between two of them.
        within: The longest time from a mark to its notification.
        tolerance: How much closer to each other the tester may see two packets than they were sent.
    """
    faults = []
    if missed := found.unanswered(scope, interval, within):
        faults.append(
            f"{len(missed):,} marked packets without a notification within {within}, first packet "
            f"{missed[0].packet:,} of queue pair {missed[0].flow}"
        )
    least = found.least_ns(scope)
    close = ""
    if least is not None and least < interval.ns:
        close = f"two notifications of a {scope.value} within {Duration(least)}"
    if close and least is not None and least < interval.ns - tolerance.ns:
        faults.append(close)
    if found.unprompted:
        faults.append(f"{found.unprompted:,} notifications of queue pairs without a marked packet")
    unsure = f"{close}, and the tester may be wrong by {tolerance}" if close and not faults else ""
    return assess(
        len(faults),
        EQUAL,
        0,
        subject=f"number of faults of congestion notification on path {found.path}, {found.marked:,} marked",
        measured=_measured(faults, found.disordered),
        bound=f"0, with {interval} between notifications of a {scope.value}",
        doubt=found.doubt or unsure or ("" if found.marked or faults else "no packet arrived marked"),
    )


def _measured(faults: Sequence[str], disordered: int) -> str:
    text = f"{len(faults)} ({'; '.join(faults)})" if faults else "0"
    remark = f"; {disordered:,} notifications without a mark followed packets out of sequence"
    return text + remark if disordered else text
