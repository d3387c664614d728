# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Attempts at a trial that was repeated: an invalid one may have seen a loss of the device all the same.

A pause of the tester may explain a loss, and does not prove that the device had no part in it. So one clean
attempt does not outweigh one that lost frames: more clean attempts than such ones do, by one. What the tester
counts among its own drops is explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.units.number import counted
from .evidence import Evidence


@dataclass(frozen=True)
class Attempt:
    """One attempt before the last one."""

    number: int  # from 1
    valid: bool
    lost: int | None  # frames; None: not known
    own_drops: int  # frames that the tester knows to have dropped itself
    links_down: tuple[str, ...] = ()
    reason: str = ""  # the first objection to it

    @classmethod
    def of(cls, number: int, lost: int | None, evidence: Evidence, objections: Sequence[str]) -> Attempt:
        """The part of an attempt that is kept for those after it."""
        drops = (evidence.rx_missed or 0) + (evidence.kernel_dropped or 0) + evidence.backlog_dropped
        return cls(number, not objections, lost, drops, evidence.links_down, next(iter(objections), ""))

    @property
    def is_unexplained(self) -> bool:
        """Whether frames were lost in an invalid attempt, and not all of them by the tester's own count."""
        return (
            not self.valid and not self.links_down and bool(self.lost) and (self.lost or 0) > self.own_drops
        )

    def __str__(self) -> str:
        return (
            f"attempt {self.number} lost {counted(self.lost or 0, 'frame')} and does not count: {self.reason}"
        )


def unconfirmed(earlier: Sequence[Attempt], *, clean: bool) -> str:
    """Why a last attempt, valid and perhaps clean, does not outweigh those before it; empty if it does."""
    lossy = [attempt for attempt in earlier if attempt.is_unexplained]
    kept = clean + sum(attempt.valid and attempt.lost == 0 for attempt in earlier)
    if not clean or not lossy or kept > len(lossy):
        return ""
    tried = "attempt" if kept == 1 else "attempts"
    return f"{lossy[0]}; {kept} clean {tried} beside {len(lossy)} that lost frames do not outweigh that"


def flapping(attempts: Sequence[tuple[str, ...]]) -> str:
    """That a link went down again and again, from those that were down in each attempt; empty if not."""
    names = sorted({name for down in attempts for name in down})
    for name in names:
        times = sum(name in down for down in attempts)
        if times > 1:
            return f"the link of {name} went down in {times} of {len(attempts)} attempts"
    return ""
