# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Going back N in a trace of RoCEv2: how often, how quickly, and the steps that were wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...model.heading import Heading
from ...model.units.units import Duration
from .missing_bytes import Recovery


class Reason(Enum):
    """Why a sender went back."""

    NAK = "nak"  # or a READ that was asked for again
    TIMEOUT = "timeout"
    NOT_READY = "rnr nak"  # the receiver was not ready


class Fault(Enum):
    """A step that the automata do not have."""

    SKIPPED = "the sender left out packets that it has to send again, or for the first time"
    WRONG_RESTART = "the sender went back to another packet than the one that it was asked for"
    NO_NAK = "the receiver did not ask for what was missing"
    WRONG_NAK = "the receiver asked for another packet than the first one that was missing"
    REPEATED_NAK = "the receiver asked twice for the same packet"
    UNPROMPTED_NAK = "the receiver asked for a packet although nothing was missing"
    FALSE_ACK = "the receiver acknowledged what has not arrived"


@dataclass(frozen=True)
class Violation:
    """A packet that a right implementation would not have sent, or did not send."""

    packet: int  # its number on the path, or that of the packet that showed it
    flow: int  # queue pairs of the trace, from 1
    psn: int
    fault: Fault
    expected: int | None = None  # PSN

    def __str__(self) -> str:
        wanted = "" if self.expected is None else f", expected {self.expected}"
        return f"packet {self.packet:,}, queue pair {self.flow}: {self.fault.value} (PSN {self.psn}{wanted})"


@dataclass
class GoingBack:
    """A sender that went back. Times are nanoseconds as the tester sees them, with half a round trip each."""

    packet: int  # the first one that was sent again
    direction: Heading
    flow: int
    psn: int
    reason: Reason
    # From the first packet that arrived behind the missing one until the NAK; None after a timeout.
    generation_ns: int | None
    # From the NAK until the packet is sent again; after a timeout since the last packet before.
    reaction_ns: int
    packets: int = 0  # that were sent again

    def __str__(self) -> str:
        times = f"after {Duration(self.reaction_ns)} of silence"
        if self.generation_ns is not None:
            times = f"NAK after {Duration(self.generation_ns)}, reaction {Duration(self.reaction_ns)}"
        return (
            f"packet {self.packet:,}, queue pair {self.flow}: back to PSN {self.psn} ({self.reason.value}), "
            f"{self.packets:,} packets again, {times}"
        )


@dataclass(frozen=True)
class GoBackN:
    """Every going back on a path, and the steps that were wrong. Prints as one line."""

    path: str
    goings: tuple[GoingBack, ...]
    violations: tuple[Violation, ...]
    recoveries: tuple[Recovery, ...]
    packets: int  # with data, transmissions after the first one included
    queue_pairs: int
    naks: int  # sequence errors that were sent
    naks_arrived: int
    requests_again: int  # packets of SEND and WRITE, and requests for READ, that were sent again
    damaged_requests: int  # that arrived so
    doubt: str = ""  # why the trace says nothing

    @property
    def retransmitted(self) -> int:
        """Packets that were sent again."""
        return sum(going.packets for going in self.goings)

    @property
    def timeouts(self) -> int:
        """How often a sender went back by itself."""
        return sum(going.reason is Reason.TIMEOUT for going in self.goings)

    @property
    def lost(self) -> int:
        """Packets with data that did not arrive."""
        return len(self.recoveries)

    @property
    def longest_generation_ns(self) -> int | None:
        """The longest time until a NAK."""
        times = (going.generation_ns for going in self.goings if going.generation_ns is not None)
        return max(times, default=None)

    @property
    def longest_reaction_ns(self) -> int | None:
        """The longest time from a NAK until the packet is sent again."""
        asked = (going.reaction_ns for going in self.goings if going.reason is Reason.NAK)
        return max(asked, default=None)

    @property
    def longest(self) -> Recovery | None:
        """The loss that was missing for the longest time."""
        return max(self.recoveries, key=lambda recovery: recovery.missing_ns, default=None)

    def __str__(self) -> str:
        text = (
            f"{self.path}: {self.retransmitted:,} of {self.packets:,} packets of {self.queue_pairs:,} queue "
            f"pairs were sent again, in {len(self.goings):,} goes ({self.timeouts:,} after a timeout)"
        )
        return f"{text}; {len(self.violations):,} violations" if self.violations else text
