# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A service whose database goes away and comes back: what was promised is kept, nothing else was changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.unit.reporting.trend import postgres
from tests.unit.service.served import PLACES, served, until


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
