# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A service whose database goes away and comes back: what was promised is kept, nothing else was changed."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.unit.reporting.trend import postgres
from tests.unit.service.served import PLACES, User, served, until


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@contextmanager
def down(server: str, name: str) -> Iterator[None]:
    """The database takes nobody, and has lost all that were connected."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"alter database {name} with allow_connections false".encode())
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        yield
        admin.execute(f"alter database {name} with allow_connections true".encode())


@pytest.mark.long
def test_a_service_outlives_its_database(server: str, tmp_path: Path) -> None:
    database = postgres.make_database(server, "service")
    with served(tmp_path, PLACES, database=database) as service:
        alice, bob = service.user("alice"), service.user("bob")
        hers = alice.acquire("north", ttl_s=600)
        his = bob.lease("north", ttl_s=600)
        with down(server, "service"):
            said = bob.error("POST", "/v1/leases", 503, json={"place": "south"})
            assert "the database of the service cannot be written" in said
            assert postgres.PASSWORD not in said
            until(lambda: bob.get("/v1/health", 503)["status"] == "failed")
            assert "try again later" in alice.error("DELETE", f"/v1/leases/{hers['id']}", 503)
            assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["state"] == "acquired"
        until(lambda: alice.session.get(f"{service.url}/v1/health", timeout=30).status_code == 200)
        assert [lease["id"] for lease in bob.get("/v1/leases")] == [hers["id"], his["id"]]
        assert alice.release(hers)["state"] == "released"
        assert bob.get(f"/v1/leases/{his['id']}?wait=30")["state"] == "acquired"
        assert bob.get("/v1/places/south")["owner"] == ""
        service.stop(9)
        service.start()
        assert service.user("bob").post(f"/v1/leases/{his['id']}/heartbeat")["fence"] > hers["fence"]
        lines = service.audit()
        assert ("the service", "use the database again", 200, "") in lines
        with (
            psycopg.connect(database) as tables,
            pytest.raises(psycopg.errors.RaiseException, match="append-only"),
        ):
            tables.execute("delete from audit")


@pytest.mark.long  # tests/unit/service/test_ledger.py is shorter
def test_a_database_that_stands_still_is_as_one_that_is_gone(server: str, tmp_path: Path) -> None:
    """Its connection is open, and nothing comes: the service gives up after 5 s."""
    database = postgres.make_database(server, "still")
    with served(tmp_path, PLACES, database=database) as service:
        alice, bob = service.user("alice"), service.user("bob")
        hers = alice.acquire("north", ttl_s=600)
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            pids = [
                pid for (pid,) in admin.execute("select pid from pg_stat_activity where datname = 'still'")
            ]
        try:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            said = bob.error("POST", "/v1/leases", 503, json={"place": "south"})
            assert "did not answer within 5 s" in said
            assert bob.get("/v1/health", 503)["status"] == "failed"
            assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["state"] == "acquired"
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        until(lambda: alice.session.get(f"{service.url}/v1/health", timeout=30).status_code == 200)
        assert bob.acquire("south")["state"] == "acquired"


@pytest.mark.long  # tests/unit/service/test_ledger.py is shorter
def test_an_end_that_could_not_be_kept_is_said_and_made_up_for(tmp_path: Path) -> None:
    """The tester is let go at once; whoever ended the lease is not told that it is over before it is kept."""
    with served(tmp_path, PLACES) as service:
        alice, bob = service.user("alice"), service.user("bob")
        hers = alice.acquire("north")
        path = f"/v1/leases/{hers['id']}"
        with closing(sqlite3.connect(service.database, isolation_level=None)) as other:
            other.execute("begin exclusive")
            said = alice.error("DELETE", path, 503)
            other.execute("rollback")
        assert f"lease {hers['id']} has ended, and its tester is let go" in said
        until(lambda: alice.session.get(f"{service.url}/v1/health", timeout=30).status_code == 200)
        after = alice.get(path)
        assert (after["state"], after["reason"]) == ("released", "it was released")
        assert bob.acquire("north")["state"] == "acquired"
        ends = [line for line in service.audit() if line[1] == "end a lease"]
        assert ends == [("alice", "end a lease", 200, "alice, north: it was released")]
        service.stop(9)
        service.start()
        assert service.user("alice").get(path)["state"] == "released"


@pytest.mark.long  # tests/unit/service/test_ledger.py is shorter
def test_a_database_file_that_was_renamed_is_missed(tmp_path: Path) -> None:
    """A file without a name is lost with the process: nothing is promised on what is written into it."""
    with served(tmp_path, PLACES) as service:
        alice, bob = service.user("alice"), service.user("bob")
        hers = alice.acquire("north")
        file = Path(service.database)
        away = file.with_name("away.sqlite")
        file.rename(away)
        assert "the file of the database was removed or replaced" in bob.error(
            "POST", "/v1/leases", 503, json={}
        )
        assert bob.get("/v1/health", 503)["status"] == "failed"
        time.sleep(2)  # meanwhile the service looks for it, and makes no new one
        assert not file.exists()
        assert alice.error("DELETE", f"/v1/leases/{hers['id']}", 503)
        assert alice.post(f"/v1/leases/{hers['id']}/heartbeat")["state"] == "acquired"
        User(service.url).error("GET", "/v1/me", 401)  # nobody is an admin because no user is found
        away.rename(file)
        until(lambda: alice.session.get(f"{service.url}/v1/health", timeout=30).status_code == 200)
        assert [lease["id"] for lease in bob.get("/v1/leases")] == [hers["id"]]
        file.unlink()  # also if nobody asks for anything
        until(lambda: alice.session.get(f"{service.url}/v1/health", timeout=30).status_code == 503, 5)
