# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The other end of a veth pair of a user, in this namespace and in that of another process."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from TesterLibrary.testbeds.far_end import KEEPS_TAGS, LEAVES_WORK, far_end
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged


@pytest.fixture
def inside() -> Iterator[Namespace]:
    """A namespace with the pair `t1` and `d1`, and an interface of another kind, `x1`."""
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    namespace = Namespace.create()
    with namespace.entered():
        run("ip link add t1 type veth peer name d1")
        run("ip link add x1 type bridge")
        yield namespace


def run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)


def named(interface: str, features: frozenset[str]) -> str:
    """The other end, if one of these features is on."""
    end = far_end(interface)
    return end.name if end and end.features & features else ""


def leave_tags_in(interface: str, before: str = "") -> None:
    run(f"{before} ethtool -K {interface} txvlan off tx-vlan-stag-hw-insert off")


@pytest.mark.usefixtures("inside")
def test_an_end_that_keeps_tags_is_named_until_it_leaves_them_in_frames() -> None:
    assert named("t1", KEEPS_TAGS) == "d1"
    leave_tags_in("t1")  # which is the direction to the device
    assert named("t1", KEEPS_TAGS) == "d1"
    leave_tags_in("d1")
    assert named("t1", KEEPS_TAGS) == ""


@pytest.mark.usefixtures("inside")
def test_an_end_that_leaves_work_to_hardware_is_named_until_it_does_it_itself() -> None:
    assert named("t1", LEAVES_WORK) == "d1"
    run("ethtool -K d1 tx off")  # which switches off segmentation, too
    assert named("t1", LEAVES_WORK) == ""


@pytest.mark.usefixtures("inside")
def test_an_end_in_the_namespace_of_another_process_is_found() -> None:
    with subprocess.Popen(
        ["unshare", "--net", "sh", "-c", "echo begun; exec sleep 60"], stdout=subprocess.PIPE
    ) as holder:
        try:
            assert holder.stdout
            holder.stdout.readline()
            run(f"ip link set d1 netns {holder.pid}")
            assert named("t1", KEEPS_TAGS) == "d1"
            leave_tags_in("d1", f"nsenter --net=/proc/{holder.pid}/ns/net")
            assert named("t1", KEEPS_TAGS) == ""
        finally:
            holder.kill()


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("interface", ["lo", "x1", "none"])
def test_what_is_no_end_of_a_pair_keeps_no_tags(interface: str) -> None:
    assert named(interface, KEEPS_TAGS) == ""
