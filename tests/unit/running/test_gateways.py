# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.units import Ratio
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeDevice, FakePath

from .testers import SECOND, fake_tester, stream

GATEWAY = IPv4Address("198.18.0.1")
OLD, NEW = bytes.fromhex("020000000101"), bytes.fromhex("020000009999")


def trial(directory: Path, *, loss: str, answers: bytes | None) -> Trial:
    """A trial of a router whose gateway had one MAC address, and has another one now, or answers no more."""
    path = FakePath(loss=Ratio.parse(loss))
    device = FakeDevice(path, neighbours={} if answers is None else {GATEWAY: answers})
    tester = fake_tester(directory, device=device)
    port = replace(tester.ports["p1"], address=IPv4Interface("198.18.0.2/24"), gateway=GATEWAY)
    tester.ports = {**tester.ports, "p1": port}
    tester.gateways = {"p1": OLD}
    with StreamRun(tester, "trial-1", [stream(rate="1 kpps")]).loaded() as run:
        run.start(SECOND)
        tester.target.wait(["trial-1"], timeout=SECOND)
        return run.finish(SECOND)


@pytest.mark.parametrize("loss", ["100 %", "10 %"])
def test_frames_to_a_mac_address_that_nobody_has_are_no_loss_of_the_device(loss: str, tmp_path: Path) -> None:
    found = trial(tmp_path, loss=loss, answers=NEW)
    assert any(
        "the gateway 198.18.0.1 of port p1 has another MAC address, 02:00:00:00:99:99 in place of "
        "02:00:00:00:01:01, to which frames were sent" in objection
        for objection in found.objections
    ), found.objections


@pytest.mark.parametrize(("loss", "answers"), [("10 %", OLD), ("100 %", None), ("0", NEW)])
def test_losses_of_a_gateway_that_stayed_count(loss: str, answers: bytes | None, tmp_path: Path) -> None:
    assert not trial(tmp_path, loss=loss, answers=answers).objections
