# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of its own for tests: in a new folder, run by a user without privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

PASSWORD = "s3cret%40-word"  # as a URL has it: s3cret@-word
_READY = "database system is ready to accept connections"


def programs() -> Path:
    """The folder of the server's programs; skips the test where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    on_path = shutil.which("initdb")
    if not found and not on_path:
        pytest.skip("there is no PostgreSQL server: apt-get install postgresql")
    return found[-1].parent if found else Path(on_path or "").parent


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty server on a port of 127.0.0.1, without the database at its end."""
    bin_folder = programs()
    who = pwd.getpwnam("postgres") if os.geteuid() == 0 else None  # initdb refuses root
    identity = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []} if who else {}
    with tempfile.TemporaryDirectory(prefix="postgres-") as name:
        folder, secret = Path(name), Path(name) / "password"
        secret.write_text(PASSWORD.replace("%40", "@"))
        if who:
            for path in (folder, secret):
                os.chown(path, who.pw_uid, who.pw_gid)
        data = folder / "data"
        user = ["--username=lab", f"--pwfile={secret}", "--auth=scram-sha-256"]
        make = [*user, "--no-sync", "--encoding=UTF8"]
        subprocess.run(
            [bin_folder / "initdb", *make, "--locale=C", "--pgdata", data],
            check=True,
            capture_output=True,
            cwd=folder,
            timeout=120,
            **identity,  # type: ignore[call-overload]
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        place = (f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={name}")
        settings = (*place, "fsync=off")
        command = [bin_folder / "postgres", "-D", data, *(part for each in settings for part in ("-c", each))]
        with subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            **identity,  # type: ignore[call-overload]
        ) as process:
            try:
                said = ""
                for line in process.stderr:
                    said += line
                    if _READY in line:
                        break
                assert _READY in said, said
                yield f"postgresql://lab:{PASSWORD}@127.0.0.1:{port}"
            finally:
                process.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
                process.communicate(timeout=60)


def make_database(url: str, name: str) -> str:
    """The URL of a new database of that server."""
    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    return f"{url}/{name}"
