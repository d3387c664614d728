# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns by which frames without a signature are recognized. Mirrors `Match` of `plan.proto`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    """The bytes of a frame from an offset on, under a mask, are equal to a value."""

    offset: int
    mask: bytes
    value: bytes


def exclude(one: Sequence[Match], other: Sequence[Match]) -> bool:
    """Whether no frame can match both: they differ in a bit that both look at."""
    first, second = _placed(one), _placed(other)
    return bool((first[1] ^ second[1]) & first[0] & second[0])


def _placed(matches: Sequence[Match]) -> tuple[int, int]:
    """Mask and value of all as numbers: byte k of the frame is worth 256^k."""
    mask = value = 0
    for match in matches:
        mask |= int.from_bytes(match.mask, "little") << 8 * match.offset
        value |= int.from_bytes(match.value, "little") << 8 * match.offset
    return mask, value
