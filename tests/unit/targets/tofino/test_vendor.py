# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The code that speaks to a switch's daemon, in recorded conversations of the vendor's client."""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.targets.tofino import vendor
from TesterLibrary.targets.tofino.vendor.serving import Refusal
from TesterLibrary.targets.tofino.vendor.switch import VendorSwitch

from .bfrt import client
from .bfrt.conversation import NOW, Unrecorded


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorSwitch]:
    """Its client is the stand-in, and somebody listens where the daemon is."""
    for name in ("bfrt_grpc", "bfrt_grpc.client", "bfrt_grpc.bfruntime_pb2"):
        monkeypatch.setitem(sys.modules, name, client)
    module = importlib.import_module(f"{vendor.__name__}.switch")
    monkeypatch.setattr(module, "CpuPort", lambda interface: interface)
    with socket.create_server(("127.0.0.1", 0)) as daemon:
        yield VendorSwitch(f"127.0.0.1:{daemon.getsockname()[1]}", "tester", "cpu0")


def play(switch: VendorSwitch, step: dict[str, Any]) -> None:
    """Asks what was asked: the client makes the messages that were made, and the answer is what it was."""
    NOW.calls, NOW.told = list(step["calls"]), [(kind, what) for kind, *what in step.get("told", ())]
    ask = getattr(switch, step["do"])
    if "error" in step:
        with pytest.raises(Refusal) as refused:
            ask(**step["given"])
        assert [refused.value.kind, str(refused.value)] == step["error"]
    else:
        assert ask(**step["given"]) == step["done"]
    assert (NOW.calls, NOW.told) == ([], [])


def test_a_recorded_session_goes_as_it_went(switch: VendorSwitch) -> None:
    steps = NOW.recorded["steps"]
    assert {step["do"] for step in steps} >= {
        "bind",
        "set_ports",
        "write",
        "read",
        "mac_counters",
        "sync",
        "digests",
        "set_groups",
    }
    assert [step["error"][0] for step in steps if "error" in step].count("refused") >= 4
    for step in steps:
        play(switch, step)


@pytest.mark.parametrize("change", ["key", "data", "action", "order"])
def test_another_message_than_the_recorded_one_is_noticed(switch: VendorSwitch, change: str) -> None:
    """The recording is a real check: it fails when an entry is written in another way."""
    steps = NOW.recorded["steps"]
    play(switch, steps[0])
    step = next(step for step in steps if step["do"] == "write" and len(step["given"]["batch"]) > 3)
    batch = [dict(words) for words in step["given"]["batch"]]
    entry = next(words for words in batch if words["action"] and words["data"])
    if change == "order":
        batch.reverse()
    elif change == "action":
        entry["action"] = None
    else:
        entry[change] = {name: value + 1 for name, value in entry[change].items()}
    with pytest.raises((Unrecorded, Refusal)):
        play(switch, {**step, "given": {"batch": batch}})


def test_a_mirror_session_is_replaced(switch: VendorSwitch, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the names of the vendor's own tests of mirrors: no recorded session has one."""
    asked: list[tuple[str, Any]] = []

    def update(batch: list[dict[str, Any]], kind: str, *, rolled_back: bool) -> None:  # noqa: ARG001
        asked.extend((kind, words) for words in batch)

    monkeypatch.setattr(switch, "_update", update)
    session = {"table": "$mirror.cfg", "key": {"$sid": 1}, "action": "$normal"}
    switch.set_mirror(1, 64)
    data = {
        "$direction": "BOTH",
        "$session_enable": True,
        "$ucast_egress_port": 64,
        "$ucast_egress_port_valid": True,
    }
    assert asked == [("DELETE", {**session, "data": None}), ("INSERT", {**session, "data": data})]
    asked.clear()
    switch.set_mirror(1, None)
    assert asked == [("DELETE", {**session, "data": None})]


def test_a_daemon_without_counters_of_macs_says_nothing_of_them(switch: VendorSwitch) -> None:
    recorded = NOW.recorded
    play(switch, recorded["steps"][0])
    tables = {name: words for name, words in recorded["tables"].items() if name != "$PORT_STAT"}
    switch._link._info = client.BfRtInfo({**recorded, "tables": tables})
    assert switch.mac_counters([0, 4]) == [{}, {}]


@pytest.mark.parametrize(("code", "kind"), [("UNAVAILABLE", "gone"), ("INTERNAL", "broken")])
def test_counters_of_macs_that_cannot_be_read_are_no_absent_ones(
    switch: VendorSwitch, code: str, kind: str
) -> None:
    recorded = NOW.recorded["steps"]
    play(switch, recorded[0])
    step = next(step for step in recorded if step["do"] == "mac_counters")
    lost = [{**step["calls"][0], "error": [code, "lost"]}]
    play(switch, {**step, "calls": lost, "error": [kind, "the switch daemon: lost"]})


def test_a_daemon_that_is_not_there_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bfrt_grpc", "bfrt_grpc.client", "bfrt_grpc.bfruntime_pb2"):
        monkeypatch.setitem(sys.modules, name, client)
    with pytest.raises(
        Refusal, match=r"no switch daemon answers at 127\.0\.0\.1:1: .*start bf_switchd"
    ) as refused:
        VendorSwitch("127.0.0.1:1", "tester", "cpu0").bind()
    assert refused.value.kind == "gone"


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        (["tester"], "another client has the program 'tester' of the switch: bound; end it"),
        (["switch", "own"], "the switch runs switch, own, not 'tester'; start bf_switchd"),
        ([], "the switch runs no program, not 'tester'"),
    ],
)
def test_why_a_program_cannot_be_had(switch: VendorSwitch, programs: list[str], said: str) -> None:
    bind = NOW.recorded["steps"][0]["calls"][0]
    loaded = {"config": [{"p4_name": name} for name in programs]}
    asked = {"rpc": "GetForwardingPipelineConfig", "request": {"client_id": 1}}
    NOW.calls = [{**bind, "error": ["ALREADY_EXISTS", "bound"]}, {**asked, "answer": loaded}]
    with pytest.raises(Refusal, match=said):
        switch.bind()


def test_vendor_imports_nothing_of_this_library() -> None:
    """It runs in the Python of an SDE."""
    for path in Path(vendor.__file__).parent.glob("*.py"):
        assert "from .." not in path.read_text(encoding="utf-8")
