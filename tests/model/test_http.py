# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The HTTP responder of the program serves a real client over a veth, whose address nobody has told it."""

from __future__ import annotations

from ipaddress import ip_interface

from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.responder import Responder
from TesterLibrary.targets.tofino.reading.end_readings import end_asked, end_counters
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch

from .jobs import left, loaded, looping
from .running import RunningModel

_SERVER = "198.18.1.10"
_TIMES = 3


def test_curl_is_served(model: RunningModel, switch: RemoteSwitch) -> None:
    servers = Endpoints(AddressRange.parse(_SERVER), PortRange(80))
    job = loaded(switch, [], [Responder(name="web", port="p1", protocol="http-get", servers=servers)])
    with model.inside.entered():
        model.inside.address("p1", ip_interface("198.18.9.9/16"))
    looping(switch, job)
    assert [model.fetched(_SERVER) for _ in range(_TIMES)] == [1000] * _TIMES
    (end,) = job.ends
    wanted = end_asked(end)
    switch.sync(sorted({asked.table for asked in wanted}))
    counted = end_counters("job", end, switch.read(wanted), answering=True)
    named = dict(zip(end.planned.protocol.counters, counted.counters, strict=True))
    assert (named["opened"], named["served"]) == (_TIMES, _TIMES)
    assert counted.not_sent == 0
    left(switch, job)
