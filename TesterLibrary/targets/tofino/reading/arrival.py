# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a frame arrives at a switch, by its sequence number (p4/include/types.p4, arrival_t)."""

from __future__ import annotations

from enum import IntEnum


class Arrival(IntEnum):
    """The two bits that its cell says (p4/controls/order.p4), and one: below the highest number."""

    ABOVE = 0  # all before it
    OVERTAKEN = 1
    AGAIN = 5
    LATE = 7  # a higher number has come to its cell, so nobody knows whether it came before
