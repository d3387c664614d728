# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""RANDOM(seed, k) of `plan.proto`: the generator that every target has."""

from __future__ import annotations

_WORD = (1 << 64) - 1


def splitmix64(seed: int, index: int) -> int:
    """Output number `index`, from 0, of SplitMix64 with this seed: 0 to 2^64 - 1."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31
