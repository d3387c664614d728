# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A lab that reserves by labgrid: against labgrid's own coordinator, if it is there (`tox -e labgrid`)."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.service import labgrid
from TesterLibrary.service.config import LabgridPlace

from .served import served, until


@pytest.fixture(scope="module")
def coordinator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("labgrid", reason="labgrid is not installed; tox -e labgrid has it")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "labgrid.remote.coordinator", "--listen", address]
    folder = tmp_path_factory.mktemp("coordinator")
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        until(lambda: accepts(address))
        with labgrid._session(LabgridPlace(address, "rack"), "somebody/else") as (messages, stub):
            stub.AddPlace(messages.AddPlaceRequest(name="rack"))
        yield address
        process.kill()


def accepts(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def holder(address: str) -> str:
    with labgrid._session(LabgridPlace(address, "rack"), "somebody/else") as (messages, stub):
        return labgrid._holder(messages, stub, "rack")


def other(address: str, call: str) -> None:
    """Somebody uses labgrid himself."""
    with labgrid._session(LabgridPlace(address, "rack"), "desk/carol") as (messages, stub):
        request: Any = getattr(messages, f"{call}PlaceRequest")(placename="rack")
        getattr(stub, f"{call}Place")(request)


def test_a_place_is_acquired_and_released_in_labgrid_too(coordinator: str, tmp_path: Path) -> None:
    place = f"labgrid: {{coordinator: '{coordinator}', place: rack}}"
    with served(tmp_path, f"\n  north: {{testbed: simulated/queue, check: none, {place}}}\n") as service:
        alice, bob = service.user("alice"), service.user("bob")
        lease = alice.acquire("north", ttl_s=600)
        assert holder(coordinator) == f"{socket.gethostname()}/tester-serve/alice"
        service.stop(9)
        service.start()
        alice, bob = service.user("alice"), service.user("bob")
        alice.release(lease)
        assert holder(coordinator) == ""
        other(coordinator, "Acquire")
        his = bob.lease("north", ttl_s=600)
        until(lambda: bob.get("/v1/places/north")["problem"])
        problem = bob.get("/v1/places/north")["problem"]
        assert problem == "in labgrid, desk/carol has acquired the place 'rack'"
        assert bob.get(f"/v1/leases/{his['id']}")["state"] == "waiting"
        assert holder(coordinator) == "desk/carol"
        other(coordinator, "Release")


def test_what_labgrid_has_not_is_said(coordinator: str) -> None:
    with pytest.raises(TesterLibraryError, match="labgrid has no place 'west'; it has rack"):
        labgrid.acquire(LabgridPlace(coordinator, "west"), "alice")
    with pytest.raises(TesterLibraryError, match=r"labgrid's coordinator at 127\.0\.0\.1:1: UNAVAILABLE"):
        labgrid.acquire(LabgridPlace("127.0.0.1:1", "rack"), "alice")


def test_without_labgrid_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "labgrid.remote.generated", None)
    with pytest.raises(TesterLibraryError, match=r"install robotframework-testerlibrary\[labgrid\]"):
        labgrid.acquire(LabgridPlace("127.0.0.1:1", "rack"), "alice")
