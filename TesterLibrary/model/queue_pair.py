# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queue pairs of RoCEv2: their messages as parameters of the tables roce-requester and roce-responder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ..errors import PlanError

PSNS = 1 << 24  # packet sequence numbers, and numbers of queue pairs
_MTUS = (256, 512, 1024, 2048, 4096)  # InfiniBand Architecture Specification 1.5, §9.2.5.6
_LONGEST = 1 << 31  # bytes of a message
_WINDOW = PSNS // 2 - 1  # packets without an answer


class Verb(Enum):
    """The operation of RDMA that messages are."""

    SEND = 0
    WRITE = 1
    READ = 2


@dataclass(frozen=True, kw_only=True)
class QueuePairs:
    """Queue pairs whose numbers follow each other; both ends of one have the same number and initial PSN."""

    first: int  # number of the first one
    count: int
    initial_psn: int
    mtu: int  # bytes of payload of a packet at most

    def __post_init__(self) -> None:
        if self.mtu not in _MTUS:
            raise PlanError(f"mtu={self.mtu} is no path MTU of RoCE; give {', '.join(map(str, _MTUS))}")
        if self.count < 1 or not 2 <= self.first <= PSNS - 1 - self.count:
            raise PlanError(
                f"queue_pairs={self.count} from qpn={self.first} on; give 1 or more, with numbers of 2 to "
                f"{PSNS - 2:,}"
            )
        if not 0 <= self.initial_psn < PSNS:
            raise PlanError(f"initial_psn={self.initial_psn} is not within 0 to {PSNS - 1:,}")

    @property
    def parameters(self) -> Mapping[str, int]:
        """Parameters that both tables have."""
        return {"mtu_bits": self.mtu.bit_length() - 1, "initial_psn": self.initial_psn}


@dataclass(frozen=True, kw_only=True)
class Messages:
    """The messages of each queue pair."""

    verb: Verb
    count: int
    size: int  # bytes of each
    depth: int  # without an answer at most

    def parameters(self, mtu: int) -> Mapping[str, int]:
        """Parameters of the requester. PlanError says what cannot be."""
        packets = max(1, -(-self.size // mtu))
        if not 0 <= self.size <= _LONGEST:
            raise PlanError(f"message_size={self.size:,} is not within 0 to {_LONGEST:,} bytes")
        if not 1 <= self.count < 1 << 32:
            raise PlanError(f"messages={self.count:,} is not within 1 to {(1 << 32) - 1:,}")
        if not 1 <= self.depth <= self.count:
            raise PlanError(f"depth={self.depth:,} is not within 1 to the {self.count:,} messages")
        if self.verb is Verb.READ and self.depth != 1:
            raise PlanError(
                f"depth={self.depth}: a queue pair has one READ on its way at a time; leave it out"
            )
        if self.depth * packets > _WINDOW:
            raise PlanError(
                f"depth={self.depth:,} messages of {packets:,} packets are more than the {_WINDOW:,} packets "
                "that may be without an answer"
            )
        return {
            "verb": self.verb.value,
            "messages": self.count,
            "size": self.size,
            "packets": packets,
            "rest": self.size - (packets - 1) * mtu,
            "depth": self.depth,
        }
