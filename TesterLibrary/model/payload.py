# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The octets of a frame between its headers and its signature."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PayloadKind(Enum):
    """The source of the octets."""

    COUNTING = "counting"  # 0, 1, 2 … 255, 0 …: RFC 2544 C.2.6.4
    ZEROS = "zeros"
    RANDOM = "random"  # by the job's seed and the stream
    PRBS31 = "prbs31"  # x^31 + x^28 + 1, ITU-T O.150, from all ones, not inverted
    TEXT = "text"  # repeated
    FILE = "file"  # repeated


@dataclass(frozen=True)
class Payload:
    """A kind of filling; `data` is that of TEXT and FILE."""

    kind: PayloadKind = PayloadKind.COUNTING
    data: bytes = b""


COUNTING = Payload()
