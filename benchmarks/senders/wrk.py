# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""wrk against nginx, over the loopback interface, with a worker and a thread for each CPU."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..harness.machine import UNDISTURBED, need_program

NAME = "wrk and nginx"
_CONNECTIONS = 64
_PATIENCE_S = 5.0
_REQUESTS = re.compile(r"^Requests/sec:\s*([0-9.]+)$", re.MULTILINE)
_ERRORS = re.compile(r"Socket errors.*|Non-2xx.*")
_LAST_CHARACTERS = 400
_CONFIGURATION = """\
daemon off; user root; worker_processes {cpus}; pid {folder}/pid; error_log stderr;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=4096 reuseport; root {folder}; keepalive_timeout 0; }}
}}
"""


def requests_per_second(report: str) -> float:
    """The rate in the report that wrk prints. ValueError if it is no such report, or some requests failed."""
    found, errors = _REQUESTS.search(report), _ERRORS.search(report)
    if not found or errors:
        why = errors[0] if errors else "no Requests/sec"
        raise ValueError(f"{why} in what wrk said: {report[-_LAST_CHARACTERS:]!r}")
    return float(found[1])


def transactions(seconds: float, *, body: int) -> float:
    """Requests a second, each on a connection of its own, with so many bytes of response."""
    wrk = need_program("wrk", "wrk")
    with _nginx(body) as port:
        command = [wrk, f"-t{_cpus()}", f"-c{_CONNECTIONS}", f"-d{max(1, round(seconds))}s"]
        report = subprocess.run(
            [*UNDISTURBED, *command, "-H", "Connection: close", f"http://127.0.0.1:{port}/body"],
            capture_output=True,
            text=True,
            check=True,
            start_new_session=True,
        ).stdout
    return requests_per_second(report)


def _cpus() -> int:
    return len(os.sched_getaffinity(0))


@contextmanager
def _nginx(body: int) -> Iterator[int]:
    program = need_program("nginx", "nginx-light")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        (folder / "body").write_bytes(bytes(body))
        port = _free_port()
        text = _CONFIGURATION.format(cpus=_cpus(), folder=folder, port=port)
        (folder / "nginx.conf").write_text(text)
        command = [*UNDISTURBED, program, "-c", str(folder / "nginx.conf")]
        process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            _await(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _await(port: int) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError as problem:
            if time.monotonic() > deadline:
                raise RuntimeError(f"nginx does not listen: {problem}") from None
            time.sleep(0.05)
        else:
            return
