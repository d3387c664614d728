# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The longest packet that gets through whole, by probes of several sizes (RFC 6349 §3.1, RFC 8899).

A size is found by its probes that arrive, never by what the device says of it: a device that drops long
packets without a word has the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..errors import require
from ..measurement.trial import Trial
from ..verdict import AT_LEAST, Between, Verdict, assess
from .bisection import highest_passing
from .result import Result
from .verdicts.judging import doubt_of

_EXACT = Fraction(1, 10**9)


class ProbeMeasurer(Protocol):
    """Sends packets of one size."""

    def probe(self, packet: int) -> Trial:
        """A trial of packets with so many bytes, IP header included."""
        ...


@dataclass(frozen=True)
class PathMtuSearch:
    """Sizes between which the search stays; bytes of packets, IP header included."""

    lowest: int
    highest: int

    def validate(self) -> None:
        """Raises PlanError for a value that makes no sense."""
        in_order = 1 <= self.lowest <= self.highest
        require(self, (in_order, "lowest must be at least 1 and at most highest", "lowest highest"))

    def __str__(self) -> str:
        return f"packets of {self.lowest:,} to {self.highest:,} bytes"


@dataclass(frozen=True)
class PathMtuResult(Result):
    """The longest packet of which probes arrived whole. Both bounds rest on trials."""

    search: PathMtuSearch
    mtu: int  # 0 if not even the lowest size arrived
    failed_at: int | None  # the lowest size of which none arrived; None if the highest did

    def verdict_above(self, bound: int) -> Verdict:
        """Whether packets of so many bytes get through, at least."""
        unsure = next((t for t in self.trials if not t.received and not t.valid), None)
        doubt = ""
        if self.mtu < bound:
            doubt = doubt_of([unsure]) if unsure else ""
            if not doubt and self.failed_at is None:
                doubt = f"the search ended at packets of {self.search.highest:,} bytes, and they arrived"
        # Not a packet of the lowest size arrived: what is below it nobody has tried.
        value: int | Between = self.mtu if self.mtu else Between(0, self.search.lowest - 1)
        return assess(
            value,
            AT_LEAST,
            bound,
            subject=f"path MTU of {self.title}",
            measured=f"{self.mtu:,} bytes" if self.mtu else f"less than {self.search.lowest:,} bytes",
            bound=f">= {bound:,}",
            doubt=doubt,
        )

    def __str__(self) -> str:
        found = f"{self.mtu:,} bytes" if self.mtu else f"less than {self.search.lowest:,} bytes"
        limit = "" if self.failed_at is None else f", {self.failed_at:,} bytes do not arrive"
        return f"{self.title}: path MTU {found}{limit}"


def find_path_mtu(measurer: ProbeMeasurer, search: PathMtuSearch) -> PathMtuResult:
    """Searches the longest packet that arrives, exactly.

    A size passes if one of its probes arrives: loss has other reasons, too, and a size that is too long loses
    all of them.

    Raises:
        PlanError: the search makes no sense.
        TargetError: the tester is broken, gone or late.
    """
    search.validate()
    trials: list[Trial] = []

    def arrives(packet: int) -> bool:
        trials.append(measurer.probe(packet))
        return trials[-1].received > 0

    mtu, failed = highest_passing(search.lowest, search.highest, _EXACT, arrives)
    title = " + ".join(dict.fromkeys(stream.name for stream in trials[0].streams))
    return PathMtuResult(title, tuple(trials), search, mtu, failed)
