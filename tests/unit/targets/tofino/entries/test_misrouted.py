# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames at other ports than expected, in the driver; tests/contract has the counting of all targets."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from TesterLibrary.model.units.units import Duration
from TesterLibrary.p4.build import shipped
from TesterLibrary.targets.tofino.entries.misrouted import DIGEST, Places
from TesterLibrary.targets.tofino.fake.digests import Digests
from TesterLibrary.targets.tofino.session.switch import Digest

from ..driver.test_target import Driven
from ..jobs import PROFILES
from ..rig import Bench

_PATIENCE = Duration(20 * 10**9)


def told(stream: int, port: int) -> Digest:
    return Digest(DIGEST, {"stream": stream, "port": port})


@pytest.mark.parametrize("profile", PROFILES)
def test_the_program_has_the_digest(profile: str) -> None:
    schema = json.loads((shipped(profile) / "bf-rt.json").read_text(encoding="utf-8"))
    (digest,) = schema["learn_filters"]
    assert digest["name"] == DIGEST
    assert [(field["name"], field["type"]["width"]) for field in digest["fields"]] == [
        ("stream", 8),
        ("port", 9),
    ]


def test_a_fake_chip_tells_each_thing_once_until_it_is_taken() -> None:
    digests = Digests()
    for _ in range(3):
        digests.tell(told(1, 4))
    digests.tell(told(1, 8))
    assert digests.taken() == (told(1, 4), told(1, 8))
    assert digests.taken() == ()
    digests.tell(told(1, 4))
    assert digests.taken() == (told(1, 4),)


def test_places_are_ports_of_the_testbed_and_forgotten_at_a_start() -> None:
    tester = Bench()
    session = tester.session()
    places, digests = Places(session), tester.daemon.running.digests
    for digest in (told(3, session.numbers["p2"]), told(3, session.numbers["p1"]), told(5, 511)):
        digests.tell(digest)
    places.look()
    assert (places.of(3), places.of(5), places.of(7)) == (("p1", "p2"), (), ())
    digests.tell(told(3, session.numbers["p2"]))
    places.begin([3])
    assert (places.of(3), places.of(5)) == ((), ())


def test_without_digests_the_number_is_exact_and_the_place_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    monkeypatch.setattr(driven.target.session, "digests", tuple)  # the chip has no room
    plan = driven.plan()
    driven.target.load(replace(plan, streams=(replace(plan.streams[0], rx_port="p1"),)))
    driven.target.start(["north"], packets=30)
    driven.target.wait(["north"], timeout=_PATIENCE)
    driven.clock.sleep(0.1)
    (counted,) = driven.target.snapshot(["north"]).streams
    assert (counted.rx_packets, counted.rx_misrouted, counted.rx_misrouted_ports) == (0, 30, ())
