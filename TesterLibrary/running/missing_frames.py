# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Reasons for missing frames that are none of the device's: sentences, each an objection to a trial."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..measurement.trial import Trial
from ..model.membership import Membership, not_joined
from ..model.plan.plan import Plan
from ..model.stream import Stream
from .gateways import moved_gateways
from .stream_results import is_tagged
from .tester import Tester


def not_asked_for(streams: Sequence[Stream], trial: Trial, joined: Collection[Membership]) -> Iterator[str]:
    """Sentences on members that did not join the group of a stream that lost frames.

    A device that forwards to members only does right then; one that floods misses nothing.
    """
    for stream, result in zip(streams, trial.streams, strict=True):
        if result.measured and (result.order.lost != 0):
            yield from not_joined(stream, joined)


def sent_elsewhere(tester: Tester, streams: Sequence[Stream], trial: Trial) -> Iterator[str]:
    """Sentences on gateways that changed their MAC address, where a stream to them lost frames.

    What was sent to the one before says nothing of the device.
    """
    pairs = zip(streams, trial.streams, strict=True)
    ports = (stream.tx for stream, result in pairs if result.measured and result.order.lost != 0)
    for moved in moved_gateways(tester, dict.fromkeys(ports)):
        yield f"{moved}, to which frames were sent; open the tester again if it is the same device"


def lost_tags(tester: Tester, plan: Plan, trial: Trial) -> Iterator[str]:
    """Ports that may have taken the tag off frames that are known by what they look like alone.

    A frame without its tag is none of the stream's.
    """
    pairs = zip(plan.streams, trial.streams, strict=True)
    missing = (s for s, result in pairs if result.counters.rx_packets < result.counters.tx_packets)
    ports = (s.rx_port for s in missing if s.measured and not s.signature and is_tagged(s))
    yield from filter(None, map(tester.lost_tags, dict.fromkeys(ports)))
