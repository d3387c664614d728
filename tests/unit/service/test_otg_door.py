# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A client of the Open Traffic Generator is the user whose process has the other end of its connection."""

from __future__ import annotations

import asyncio
import getpass
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest

from TesterLibrary.service.config import OtgPlace, shipped_places
from TesterLibrary.service.ledger import Caller
from TesterLibrary.service.otg_door import OtgDoor
from TesterLibrary.service.refusal import Ended, Misfit, NotAllowed, Unready
from TesterLibrary.service.runner import Running
from TesterLibrary.service.scheduler import Lease
from TesterLibrary.service.user import Role

KILLED = """
import asyncio, os, signal
from tests.unit.service.test_otg_door import _door
door = _door()
asyncio.run(door.start())
print(door._sockets, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def _door() -> OtgDoor:
    place = next(place for place in shipped_places().places if place.testbed.dut.is_simulated)
    place = replace(place, otg=OtgPlace(http=0, grpc=0))
    lab = Mock(enders=[])
    lab.scheduler.leases.return_value = []
    return OtgDoor(lab, Mock(), place, lambda _: Role.USER, Mock())


def test_who_wants_the_place_keeps_its_owner_from_nothing() -> None:
    """However many connections he makes, each of which would wait for the lease in turn."""
    door, asked = _door(), Counter[str]()

    async def leased(caller: Caller) -> Lease:
        asked[caller.name] += 1
        await asyncio.Event().wait()  # somebody has the place
        raise AssertionError

    door._leased = leased  # type: ignore[method-assign]

    async def ask() -> None:
        alice, bob = (Caller(name, Role.USER) for name in ("alice", "bob"))
        door._session = Mock(caller=alice)
        waiting = [asyncio.create_task(door._session_of(bob)) for _ in range(20)]
        await asyncio.sleep(0)
        assert await asyncio.wait_for(door._session_of(alice), 5) is door._session
        await asyncio.sleep(0)
        assert asked == {"bob": 1}
        for task in waiting:
            task.cancel()

    asyncio.run(ask())


@pytest.mark.parametrize(("has_the_place", "closed"), [(False, range(3)), (True, range(64, 67))])
def test_nobody_takes_all_files_of_the_service(has_the_place: bool, closed: range, tmp_path: Path) -> None:
    """Each connection takes two. Of those who wait the oldest gives way, of the owner's own the newest."""

    async def closed_ones() -> list[int]:
        door = _door()
        door._leased = Mock(side_effect=lambda _: asyncio.sleep(60))  # type: ignore[method-assign]
        door._keep = AsyncMock()  # type: ignore[method-assign]
        await door.start()
        behind = await asyncio.start_unix_server(lambda *_: asyncio.sleep(60), tmp_path / "http")
        mine = Mock(caller=Caller(getpass.getuser(), Role.USER), sockets=tmp_path, connections=set())
        door._session = mine if has_the_place else None
        port = door._servers[0].sockets[0].getsockname()[1]
        clients = [await asyncio.open_connection("127.0.0.1", port) for _ in range(67)]
        ends = [asyncio.create_task(reader.read()) for reader, _ in clients]
        for _ in range(100):
            await asyncio.sleep(0.02)
            if sum(end.done() for end in ends) == 3:
                break
        found = [number for number, end in enumerate(ends) if end.done()]
        for task in [*door._strangers, *mine.connections, *door._asking.values(), *ends]:
            task.cancel()
        behind.close()
        door._session = None
        await door.close()
        return found

    assert asyncio.run(closed_ones()) == list(closed)


def test_a_session_that_is_being_ended_ends_though_the_service_does_too() -> None:
    """Its process was left to nobody if the service ended in the same second as its client."""
    done: list[str] = []

    async def ended() -> None:
        door, begun = _door(), asyncio.Event()

        async def end(*_: object) -> None:
            if done:
                return
            begun.set()
            door._session = None
            await asyncio.sleep(0.1)
            done.append("ended")

        door._lab.end = AsyncMock(side_effect=end)  # type: ignore[method-assign]
        door._note_refusals = AsyncMock()  # type: ignore[method-assign]
        await door.start()
        door._session = Mock(connections=set(), idle_s=99.0, child=Mock(running=Mock(is_over=False)))
        await begun.wait()
        await door.close()

    asyncio.run(ended())
    assert done == ["ended"]


def test_whoever_is_refused_reads_his_own_reason() -> None:
    """Also if somebody else is refused before he has asked."""

    async def told() -> dict[str, list[str]]:
        door = _door()
        await door.start()
        try:
            refusals = {"alice": Misfit("it is leased to carol"), "bob": NotAllowed("bob is no user")}
            for name, refusal in refusals.items():
                door._refuser_of(name).refuse(refusal)
            return {name: await _asked(door._refuser_of(name).sockets / "http") for name in refusals}
        finally:
            await door.close()

    assert asyncio.run(told()) == {
        "alice": ["500", "it is leased to carol"],
        "bob": ["403", "bob is no user"],
    }


@pytest.mark.parametrize("how", ["ended", "expired"])
def test_a_lease_that_ends_while_its_server_starts_ends_that(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next user had the place while it went on for up to a minute; and it was not renewed meanwhile."""

    async def started() -> tuple[int, str]:
        door, lease, running = (
            _door(),
            Mock(id="0123456789"),
            Mock(is_over=False, end=AsyncMock(), wait=AsyncMock()),
        )
        door._sockets, door._leased = tmp_path, AsyncMock(return_value=lease)  # type: ignore[method-assign]
        monkeypatch.setattr(door, "_folder_of", lambda _: tmp_path / "otg" / "run")
        monkeypatch.setattr(Running, "start", AsyncMock(return_value=running))
        renewed = [None, None, Ended("over: it was taken")] if how == "expired" else None
        door._lab.renew = AsyncMock(side_effect=renewed)  # type: ignore[method-assign]
        door._lab.end = AsyncMock()  # type: ignore[method-assign]
        door._lab.testers.keeper = Mock(return_value=None)  # type: ignore[method-assign]
        begun = asyncio.create_task(door._new_session(Caller("alice", Role.USER)))
        if how == "ended":
            while not door._starting:
                await asyncio.sleep(0.01)
            await door.end(lease.id)
            ends = running.end.await_count
            running.is_over = True
        with pytest.raises(Unready) as refused:
            await begun
        return (ends if how == "ended" else running.end.await_count), str(refused.value)

    ends, said = asyncio.run(asyncio.wait_for(started(), 20))
    assert ends == 1
    assert ("it was taken" if how == "expired" else "tester otg ended at once") in said


def test_many_who_are_refused_leave_few_servers() -> None:
    """In a user namespace one person is thousands of users: each took two files and two threads for ever."""

    async def left() -> tuple[list[str], int]:
        door = _door()
        await door.start()
        try:
            for number in range(40):
                door._refuser_of(f"user {number}").refuse(NotAllowed("no user"))
            told = await _asked(door._refuser_of("user 30").sockets / "http")
            while len(folders := list(door._sockets.iterdir())) > 16:
                await asyncio.sleep(0.05)
            return told, len(folders)
        finally:
            await door.close()

    assert asyncio.run(asyncio.wait_for(left(), 30)) == (["403", "no user"], 16)


async def _asked(path: Path) -> list[str]:
    """The status and first error of an answer at a UNIX socket."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(b"GET /config HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
    answer = (await reader.read()).decode()
    writer.close()
    return [answer.split()[1], *json.loads(answer.partition("\r\n\r\n")[2])["errors"]]


def test_a_door_leaves_no_folder_of_sockets_though_its_service_was_killed() -> None:
    """The next service removes it."""
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as killed:
        left = Path(killed.communicate(timeout=60)[0].splitlines()[-1])
    assert left.is_dir()

    async def opened() -> None:
        door = _door()
        await door.start()
        try:
            assert not left.exists()
            assert door._sockets.stat().st_mode & 0o777 == 0o700
        finally:
            await door.close()
        assert not door._sockets.exists()

    asyncio.run(opened())


def test_a_place_of_the_command_line_has_the_locations_of_the_documentation() -> None:
    places = {place.name: place for place in shipped_places().with_otg("l2-bridge").places}
    assert places["l2-bridge"].otg == OtgPlace(locations={"localhost:5555": "p1", "localhost:5556": "p2"})
    assert places["l3-router"].otg is None
