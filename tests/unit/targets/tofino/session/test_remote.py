# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipe to a process that speaks to a switch, and the vendor's client where there is none."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TargetError, TestbedError, TesterLibraryError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.entries.entry import Masked, Span, TableEntry
from TesterLibrary.targets.tofino.session.fake_process import fake_switch
from TesterLibrary.targets.tofino.session.pipe_messages import (
    entry_of,
    entry_words,
    error_of,
    error_words,
)
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.sde import vendor_switch
from TesterLibrary.targets.tofino.session.switch import (
    Asked,
    Digest,
    PortSetup,
    PortState,
    SwitchGone,
)

from ..rig import FOLDER, station, version

MODES = "internal.InternalIngress.editor.first_modes.modes"


@pytest.fixture
def switch() -> Iterator[RemoteSwitch]:
    remote = fake_switch(FOLDER, "tester")
    yield remote
    remote.close()


def test_entries_go_over_the_pipe_and_come_back(switch: RemoteSwitch) -> None:
    switch.bind()
    assert switch.device_port("2/1") == 5
    direct = TableEntry(
        MODES, {"template": 1}, "InternalIngress.editor.first_modes.direct", {"by": 1, "below": 9}
    )
    switch.write([direct])
    assert switch.read([Asked(MODES, {"template": 1})]) == [{"by": 1, "below": 9, "$COUNTER_SPEC_PKTS": 0}]
    switch.delete([direct])
    with pytest.raises(PlanError, match="has no entry"):
        switch.read([Asked(MODES, {"template": 1})])


def test_ports_and_their_changes(switch: RemoteSwitch) -> None:
    switch.bind()
    switch.set_ports([PortSetup(4, 10**11, "rs")])
    assert switch.port_states([4]) == switch.changed_ports() == (PortState(4, up=True),)
    switch.remove_ports([4])
    with pytest.raises(PlanError, match="port 4 of the switch was not added"):
        switch.port_states([4])


def test_what_the_switch_refuses_is_refused_here(switch: RemoteSwitch) -> None:
    switch.bind()
    with pytest.raises(PlanError, match="1,024 entries are the most"):
        switch.write([version(1), *(station(number) for number in range(1025))])
    with pytest.raises(PlanError, match="no entry"):
        switch.read([Asked("external.ExternalEgress.version.versions", {"stream": 1})])


def test_a_client_that_is_killed_is_gone(switch: RemoteSwitch) -> None:
    switch.bind()
    os.kill(switch.pid, signal.SIGKILL)
    with pytest.raises(SwitchGone, match="the process that speaks to the switch is gone"):
        switch.changed_ports()


def test_its_last_words_are_told() -> None:
    remote = RemoteSwitch([sys.executable, "-c", "raise SystemExit('no chip')"])
    with pytest.raises(SwitchGone, match="it said last: no chip"):
        remote.bind()


def test_digests_come_over_the_pipe() -> None:
    told = {"name": "kind", "fields": {"stream": 3, "port": 260}}
    answer = json.dumps({"done": [told]})
    script = f"import sys; sys.stdin.readline(); print({answer!r}, flush=True); sys.stdin.read()"
    remote = RemoteSwitch([sys.executable, "-c", script])
    assert remote.digests() == (Digest("kind", {"stream": 3, "port": 260}),)
    remote.close()


def test_a_fake_switch_has_no_digests_without_frames(switch: RemoteSwitch) -> None:
    switch.bind()
    assert switch.digests() == ()


def test_a_closed_one_says_that_it_is_gone(switch: RemoteSwitch) -> None:
    switch.close()
    with pytest.raises(SwitchGone, match="is gone"):
        switch.bind()


def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    sleeper = [sys.executable, "-c", "import sys, time; sys.stdin.readline(); time.sleep(60)"]
    remote = RemoteSwitch(sleeper, patience=Duration(10**8))
    with pytest.raises(TargetError, match="did not answer bind within 100 ms"):
        remote.bind()
    remote.close()


def test_a_command_that_is_not_there() -> None:
    with pytest.raises(TargetError, match="no-such-python cannot be started"):
        RemoteSwitch(["no-such-python"])


@pytest.mark.parametrize(
    "entry",
    [
        TableEntry("t", {"a": 1, "b": Masked(2, 3), "c": Span(4, 5), "d": "text"}, "act", {"x": 1 << 47}),
        TableEntry("t", {"$REGISTER_INDEX": 0}, None, {"f1": 0}),
    ],
)
def test_words_are_entries(entry: TableEntry) -> None:
    assert entry_of(entry_words(entry)) == entry


@pytest.mark.parametrize(
    "error", [PlanError("no"), SwitchGone("lost"), TargetError("broken"), TestbedError("unset")]
)
def test_words_are_errors(error: TesterLibraryError) -> None:
    again = error_of(error_words(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_without_an_sde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDE_INSTALL", raising=False)
    with pytest.raises(TestbedError, match="set SDE_INSTALL"):
        vendor_switch("localhost:50052", "tester", "veth251")


def test_an_sde_without_a_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SDE_INSTALL", str(tmp_path))
    with pytest.raises(TestbedError, match="there is no bfrt_grpc below lib/python"):
        vendor_switch("localhost:50052", "tester", "veth251")


@pytest.fixture
def sde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder as an SDE has it, with a client that says nothing."""
    client = tmp_path / "lib" / "python3.8" / "site-packages" / "tofino" / "bfrt_grpc"
    client.mkdir(parents=True)
    for name in ("__init__", "client", "bfruntime_pb2"):
        (client / f"{name}.py").touch()
    monkeypatch.setenv("SDE_INSTALL", str(tmp_path))
    monkeypatch.setenv("SDE_PYTHON", sys.executable)
    return client


def test_no_daemon_at_the_address(sde: Path) -> None:
    assert sde.is_dir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    vendor = vendor_switch(address, "tester", "veth251")
    with pytest.raises(SwitchGone, match=f"no switch daemon answers at {address}: .*start bf_switchd"):
        vendor.bind()
    vendor.close()


def test_no_module_of_ours_stands_in_for_one_of_pythons_own(sde: Path) -> None:
    (sde / "client.py").write_text("import sys\nraise ImportError(' '.join(sys.path[-2:]))\n")
    vendor = vendor_switch("127.0.0.1:9", "tester", "veth251")
    with pytest.raises(TestbedError, match=r"site-packages \S+/targets/tofino; set SDE_INSTALL"):
        vendor.bind()
    vendor.close()


def test_a_client_that_cannot_be_imported(sde: Path) -> None:
    (sde / "client.py").write_text("import no_such_module\n")
    vendor = vendor_switch("127.0.0.1:9", "tester", "veth251")
    with pytest.raises(TestbedError, match=r"no_such_module.*SDE_PYTHON to a Python with grpcio"):
        vendor.bind()
    vendor.close()
