# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The last frame of a stream that was lost, from the numbers that were skipped."""

from __future__ import annotations

from dataclasses import dataclass

from ...measurement.order import Order
from ...measurement.stream_result import StreamResult


@dataclass(frozen=True)
class LastLoss:
    """Its number, from 1, at least and at most; 0 if no frame was lost.

    A number that was skipped may arrive later. Then any frame before it may have been the last one that was
    lost, but so many have been lost that they do not fit below a certain number.
    """

    least: int
    most: int

    @classmethod
    def of(cls, stream: StreamResult) -> LastLoss | None:
        """The last loss of a stream; None where its counters do not tell."""
        counted, order = stream.counters, stream.order
        if order.loss_bounds == (0, 0):
            return cls(0, 0)
        if counted.outages is None or order.loss_bounds is None or counted.order.next_sequence is None:
            return None
        if counted.tx_packets > counted.order.next_sequence:
            return cls(counted.tx_packets, counted.tx_packets)
        if order.most_incomplete != 0:
            return None  # frames of a broadcast that are missing at its other ports have no number
        last = counted.outages.last_sequence or _missing_first(order)
        if not last:
            return None
        is_in_order = order.reordered == 0 or order.behind == 0
        return cls(last if is_in_order else min(order.loss_bounds[0], last), last)


def _missing_first(order: Order) -> int | None:
    """Frames before the first arrival, where no number was skipped after it; None if nobody knows.

    All numbers from the first arrival on came then, each above those before it.
    """
    if order.sent is None or order.behind is None:
        return None
    return max(0, order.sent - (order.received - order.behind))
