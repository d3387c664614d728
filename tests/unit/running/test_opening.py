# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a tester is opened on its testbed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.model.units.units import Bandwidth
from TesterLibrary.running.opening import described_port, limits_of, nominal_speeds
from TesterLibrary.targets.base import Capabilities
from TesterLibrary.targets.fake import fake_port
from TesterLibrary.testbeds.testbed import SwitchSpec, TestbedPort, TesterSpec


@pytest.mark.parametrize(
    "tester",
    [
        TesterSpec(),
        TesterSpec(address="grpc+tls:tester:50051"),
        TesterSpec(switch=SwitchSpec("fake")),
        TesterSpec(switch=SwitchSpec("switch:50052")),
    ],
)
def test_a_tester_has_to_keep_its_rates(tester: TesterSpec) -> None:
    assert limits_of(tester) == EvidenceLimits()


def test_a_model_of_a_chip_is_asked_for_counts_only() -> None:
    """Its meters run by another clock than its stamps, and that says nothing of the device."""
    found = limits_of(TesterSpec(switch=SwitchSpec("model", model=True)))
    assert found == replace(EvidenceLimits(), max_rate_error=Fraction(1, 2))


def _capabilities(link_bps: int) -> Capabilities:
    ports = (fake_port("p1", link_speed_bps=link_bps), fake_port("p2", link_speed_bps=link_bps))
    return Capabilities("engine", "1", ports, max_streams=1)


def test_a_speed_that_is_not_the_links_is_refused() -> None:
    port = TestbedPort("p1", Bandwidth.parse("10 Mbps"))
    refused = (
        r"^testbed port 'p1': speed is 10 Mbps, and its link has 25 Gbps, so 100 % would be another load; "
        "write speed: 25 Gbps, or set the link to 10 Mbps$"
    )
    with pytest.raises(TestbedError, match=refused):
        described_port(port, _capabilities(25 * 10**9))
    assert described_port(port, _capabilities(10**7)).speed == port.speed


def test_the_speed_of_a_link_without_one_is_the_testbeds_and_noted() -> None:
    """Virtual interfaces have no wire, and embedded testbeds give them the speed that they test."""
    ports = [TestbedPort(name, Bandwidth.parse("1 Gbps")) for name in ("p1", "p2")]
    virtual = _capabilities(0)
    assert described_port(ports[0], virtual).speed == ports[0].speed
    assert nominal_speeds(ports, virtual) == (
        "line rate is what the testbed says (p1 1 Gbps, p2 1 Gbps): the links have no speed of their own",
    )
    assert nominal_speeds(ports, _capabilities(10**9)) == ()
