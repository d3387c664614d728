# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""For how long nothing was sent before and after a trial (RFC 2544 §23)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Waits:
    """The waits of one trial, in nanoseconds."""

    learning_ns: int | None  # after the learning frames (b); None: none were sent
    residual_ns: int  # from the last departure, for frames that are on their way (d)
    rest_ns: int  # then, in which the device restabilizes (e)
