# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases on simulated devices, each from the seed and its number alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from . import fake_judges as fake
from . import multicast_judges as multicast
from . import nat_judges as nat
from . import other_judges as other
from . import procedure_judges as procedures
from . import service_judges as services
from . import session_judges as sessions
from . import stream_judges as streams
from . import switch_judges as switch
from . import switching_judges as switching
from . import tcp_judges as tcp
from . import trace_judges as traces
from .ageing_judge import ageing
from .case import Case, Judge
from .header_judge import all_frames, header_field
from .mlrsearch_judge import mlrsearch
from .record_judges import edited, forged
from .regression_judge import regression
from .stability_judge import stability
from .sustained_judge import sustained
from .sweep_judge import sweep
from .value_judge import value

_DEVICES: tuple[Judge, ...] = (
    streams.loss,
    streams.late,
    streams.reordering,
    streams.outage,
    streams.latency,
    streams.throughput,
    streams.delay,
    streams.count,
    other.interval,
    other.search,
    other.connections,
    other.learning,
    sessions.goodput,
    sessions.time,
    sessions.shares,
    sessions.maximum,
    sustained,
    procedures.burst,
    procedures.recovery,
    procedures.reset,
    mlrsearch,
    value,
    stability,
    header_field,
    all_frames,
    regression,
    switching.forwarding_rate,
    switching.blocking,
    switching.address_capacity,
    switching.address_learning_rate,
    switching.broadcast,
    multicast.group_delay,
    multicast.group_leak,
    multicast.group_capacity,
    multicast.group_forwarding,
    services.configuration,
    services.performance,
    tcp.tcp_throughput,
    tcp.path_mtu,
    ageing,
    services.shaped,
    nat.teardown,
    services.burst_size,
    services.colours,
    sweep,
    traces.went_back,
    traces.notified,
    traces.recovered,
    forged,
    edited,
)
_FAKE: tuple[Judge, ...] = (fake.loss, fake.search, fake.latency, nat.holding, nat.opening, nat.deleting)
_SWITCH: tuple[Judge, ...] = (
    switch.loss,
    switch.reordering,
    switch.outage,
    switch.latency,
    switch.delay,
    switch.count,
)
_ROUND = (
    len(_DEVICES) + 3
)  # cases; of them two on the fake switch, which takes half a second, one on the fake


def judge_of(number: int) -> Judge:
    """The judges take turns."""
    turn, place = divmod(number, _ROUND)
    if place < len(_DEVICES):
        return _DEVICES[place]
    if place == len(_DEVICES):
        return _FAKE[turn % len(_FAKE)]
    return _SWITCH[(2 * turn + place) % len(_SWITCH)]


def case(seed: int, number: int) -> Case:
    """A case, made from the seed and its number alone."""
    return replace(judge_of(number)(random.Random(f"{seed} {number}")), number=number)


def cases(seed: int, count: int) -> Iterator[Case]:
    for number in range(count):
        yield case(seed, number)
