# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames of several sizes in one stream: IMIX, genomes (RFC 6985) and weights."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd

from ..errors import UnitError
from .units.notation import NOTATIONS, NUMBER, Notation
from .units.units import FrameSize, FrameSizes

GENES: Mapping[str, int] = {  # RFC 6985 §3; z, the MTU, and capital letters have to be given
    **{"a": 64, "b": 128, "c": 256, "d": 512, "e": 1024, "f": 1280, "g": 1518, "h": 2112, "i": 9000},
    "j": 16000,
}
SIMPLE_IMIX = ((64, 7), (570, 4), (1518, 1))  # as FD.io's CSIT has it: 353.83 bytes on average
LONGEST_PERIOD = 65536  # frames

_GENOME = re.compile(r"IMIX\(\s*([a-zA-Z]+)\s*((?:,\s*[a-zA-Z]\s*=\s*[0-9]+\s*)*)\)")
_ALLOWED = (
    "bytes from 64 to 16128; imix; a genome such as IMIX(aaafg) or IMIX(aAz, A=400, z=1400); "
    "or sizes with weights such as 64:7 570:4 1518:1"
)


@dataclass(frozen=True)
class SizeMix(FrameSizes):
    """Frame sizes in the order of sending, again and again."""

    sequence: tuple[int, ...]  # bytes, FCS included
    name: str  # as it was written
    weights: str = field(default="", compare=False, repr=False)  # `64:7 570:4`, if it was written so

    @property
    def order(self) -> tuple[int, ...]:
        """See FrameSizes."""
        return self.sequence

    def __str__(self) -> str:
        return f"{self.name} ({float(self.mean):.2f} bytes on average)"


def parse_frame_sizes(text: object) -> FrameSizes:
    """A frame size or a mix. Raises UnitError for anything else, naming what can be written."""
    if isinstance(text, FrameSizes):
        return text
    written = str(text).strip()
    if written.lower() == "imix":
        return SizeMix(smooth(SIMPLE_IMIX), "IMIX")
    if found := _GENOME.fullmatch(written):
        return SizeMix(_genes(written, found[1], found[2]), written)
    if ":" in written:
        return SizeMix(smooth(_weights(written)), f"mix {written}", written)
    return FrameSize.parse(text)


NOTATIONS[FrameSizes] = Notation(NUMBER, parse_frame_sizes)


def mix_of(sizes: Sequence[FrameSizes]) -> FrameSizes:
    """One frame size or mix, or several sizes with weights as one mix. Raises UnitError for anything else."""
    if len(sizes) == 1:
        return sizes[0]
    weights = [size.weights if isinstance(size, SizeMix) else "" for size in sizes]
    if not weights or not all(weights):
        given = ", ".join(map(str, sizes)) or "none"
        raise UnitError(f"frame sizes: given were {given}; write {_ALLOWED}")
    return parse_frame_sizes(" ".join(weights))


def smooth(weights: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Sizes in proportion to their weights, distributed as evenly as possible.

    After any number of frames each of k sizes has been sent as often as its share of them, to within
    1 - 1 / (2k - 2) frames (R. Tijdeman, The chairman assignment problem, 1980). So any window of a whole
    number of periods has exact proportions, and any other is less than two frames away from them.
    """
    divisor = reduce(gcd, (weight for _, weight in weights))
    parts = [weight // divisor for _, weight in weights]
    period, sent = sum(parts), [0] * len(parts)
    allowed = 2 * len(parts) - 2
    order = []
    for number in range(1, period + 1):
        behind = [part * number - period * count for part, count in zip(parts, sent, strict=True)]
        due = [index for index, late in enumerate(behind) if late * allowed >= period] or [0]
        chosen = min(due, key=lambda i: (Fraction(period * (allowed - 1) - behind[i] * allowed, parts[i]), i))
        sent[chosen] += 1
        order.append(weights[chosen][0])
    return tuple(order)


def _genes(written: str, genome: str, definitions: str) -> tuple[int, ...]:
    given = {gene: int(size) for gene, size in re.findall(r"([a-zA-Z])\s*=\s*([0-9]+)", definitions)}
    if taken := sorted(set(given) & set(GENES)):
        raise UnitError(f"{written!r}: {taken[0]} is {GENES[taken[0]]} bytes (RFC 6985); take a capital")
    sizes = {**GENES, **given}
    unknown = [gene for gene in genome if gene not in sizes]
    if unknown:
        raise UnitError(
            f"{written!r}: {unknown[0]} is no size; a to j are (RFC 6985), z and capital letters are to be "
            f"given: IMIX({genome}, {unknown[0]}=1400)"
        )
    if len(genome) > LONGEST_PERIOD:
        raise UnitError(f"a genome of {len(genome)} letters; at most {LONGEST_PERIOD}")
    return tuple(FrameSize.parse(sizes[gene]).bytes for gene in genome)


def _weights(written: str) -> list[tuple[int, int]]:
    pairs = [re.fullmatch(r"([0-9]+):([0-9]+)", part) for part in written.split()]
    weights = {int(pair[1]): int(pair[2]) for pair in pairs if pair}
    if len(weights) < len(pairs) or not all(weights.values()):
        raise UnitError(f"{written!r} is not a mix: each size once, with a weight above 0; write {_ALLOWED}")
    divisor = reduce(gcd, weights.values())
    if sum(weights.values()) // divisor > LONGEST_PERIOD:
        raise UnitError(f"{written!r} repeats after more than {LONGEST_PERIOD} frames; give smaller weights")
    return [(FrameSize.parse(size).bytes, weight) for size, weight in weights.items()]
