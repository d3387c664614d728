# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.membership import GroupProtocol
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.targets.fake import fake_port

from ..fake_library import library_on_fake

SECOND = Duration(10**9)
GROUP, MORE = AddressRange.parse("239.1.1.1"), AddressRange.parse("239.1.2.1-239.1.2.9")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    ports = [fake_port(f"p{number}", link_speed_bps=10**9) for number in range(1, 5)]
    library = library_on_fake(monkeypatch, tmp_path, ports=ports)
    library.open_tester()
    return library


def on_air(library: TesterLibrary) -> list[str]:
    return [stream.name for run in library.suite.tester.air.runs for stream in run.streams]


@pytest.mark.parametrize("protocol", [None, GroupProtocol.IGMPV2, GroupProtocol.IGMPV3])
def test_groups_are_joined_until_they_are_left(
    library: TesterLibrary, protocol: GroupProtocol | None
) -> None:
    library.join_group("p2", GROUP, MORE, protocol=protocol)
    library.join_group("p3", MORE, protocol=protocol, robustness=1)
    assert on_air(library) == ["join 239.1.1.1 at p2", "join 239.1.2.1-239.1.2.9 at p2"], "reported again"
    memberships = library.suite.memberships
    assert (memberships.members(GROUP), memberships.members(MORE)) == (("p2",), ("p2", "p3"))
    library.leave_group("p2", GROUP)
    assert on_air(library) == ["join 239.1.2.1-239.1.2.9 at p2"]
    library.leave_group("p2")
    assert (on_air(library), memberships.members(MORE)) == ([], ("p3",))


def test_ipv6_groups_have_members_too(library: TesterLibrary) -> None:
    groups = AddressRange.parse("ff0e::1-ff0e::3")
    library.create_multicast_stream("video", "p1", "p2", groups=groups, rate=Rate.parse("1 %"))
    library.join_group("p2", groups)
    trial = library.measure_loss("video", duration=SECOND)
    assert (trial.valid, trial.lost) == (True, 0)
    with pytest.raises(PlanError, match=r"igmpv3 is for IPv4, and ff0e::9 are groups of IPv6; give mldv1 or"):
        library.join_group("p2", AddressRange.parse("ff0e::9"), protocol=GroupProtocol.IGMPV3)


def test_members_of_one_group_leave_with_the_test(library: TesterLibrary) -> None:
    library.suite.scopes.enter(["s1", "s1-t1"])
    library.join_group("p2", MORE)
    library.join_group("p3", MORE)
    assert library.suite.scopes.enter(["s1"]) == []
    assert (on_air(library), library.suite.memberships.members(MORE)) == ([], ())


def test_groups_are_left_with_the_test(library: TesterLibrary) -> None:
    library.suite.scopes.enter(["s1", "s1-t1"])
    library.join_group("p2", MORE)
    assert library.suite.scopes.enter(["s1"]) == []
    assert (on_air(library), library.suite.memberships.members(MORE)) == ([], ())


def test_a_group_is_joined_once_and_left_if_it_was_joined(library: TesterLibrary) -> None:
    library.join_group("p2", MORE)
    with pytest.raises(PlanError, match=r"port 'p2' has joined 239.1.2.1-239.1.2.9 already; call Leave"):
        library.join_group("p2", AddressRange.parse("239.1.2.9-239.1.2.12"))
    with pytest.raises(TesterLibraryError, match=r"port 'p2' has not joined 239.1.1.1; it has joined"):
        library.leave_group("p2", GROUP)
    with pytest.raises(PlanError, match=r"'p9' is no port of this tester; it has p1, p2, p3, p4"):
        library.join_group("p9", GROUP)
    with pytest.raises(PlanError, match=r"no group is given; give one or more, such as 239.1.1.1"):
        library.join_group("p2")


def test_a_frame_is_expected_at_every_member(library: TesterLibrary) -> None:
    """The simulated device forwards to one port, as if the other member had not joined."""
    library.create_multicast_stream("video", "p1", "p2", "p3", groups=MORE, rate=Rate.parse("1 %"))
    trial = library.measure_loss("video", duration=SECOND)
    assert (trial.sent, trial.lost) == (14_881, 14_881)
    library.create_multicast_stream("video", "p1", "p2", groups=MORE, rate=Rate.parse("1 %"))
    trial = library.measure_loss("video", duration=SECOND)
    assert trial.lost == 0
    assert library.verify_no_multicast_leak(trial).outcome.value == "PASS"


def test_a_group_that_a_member_has_not_joined_is_not_held_against_a_device(library: TesterLibrary) -> None:
    """The simulated device forwards to one port; with a member that floods nobody has to join."""
    library.create_multicast_stream("video", "p1", "p2", "p3", groups=MORE, rate=Rate.parse("1 %"))
    library.join_group("p2", MORE)
    library.join_group("p3", AddressRange.parse("239.1.2.1-239.1.2.8"))
    trial = library.measure_loss("video", duration=SECOND)
    assert trial.objections == (
        "p3 has not joined 239.1.2.9, so a device need not forward it there; call `Join Group`    p3    "
        "239.1.2.1-239.1.2.9",
    )
    library.join_group("p3", AddressRange.parse("239.1.2.9"))
    trial = library.measure_loss("video", duration=SECOND)
    assert (trial.valid, trial.lost) == (True, trial.sent)
    library.leave_group("p3")
    assert not library.measure_loss("video", duration=SECOND).valid


def test_a_tester_without_exact_times_refuses_delays(library: TesterLibrary) -> None:
    library.create_multicast_stream("video", "p1", "p2")
    with pytest.raises(PlanError, match="group delays cannot be measured: this tester does not count exact"):
        library.measure_group_delays("video")


def test_delays_are_those_of_one_group_and_a_port_that_receives(library: TesterLibrary) -> None:
    library.create_multicast_stream("many", "p1", "p2", groups=MORE)
    with pytest.raises(PlanError, match=r"'many' is sent to 239.1.2.1-239.1.2.9; the delays are"):
        library.measure_group_delays("many")
    library.create_multicast_stream("video", "p1", "p2")
    with pytest.raises(PlanError, match=r"'p1' cannot receive what 'p1' sends; give one of p2, p3, p4"):
        library.measure_group_delays("video", port="p1")
    with pytest.raises(TesterLibraryError, match=r"this is no result of Measure Group Delays"):
        library.verify_group_join_delay_below(SECOND, library.measure_loss("video", duration=SECOND))
