# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""nginx in the namespace of an embedded device."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .lab import KERNEL, Lab, pattern

_CONFIGURATION = """\
daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{ worker_connections 2048; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen {address}:8080; root {folder}; keepalive_requests 100000; }}
}}
"""


@contextmanager
def nginx_in(lab: Lab, folder: Path, address: str = KERNEL) -> Iterator[Lab]:
    """It serves files that are named by their size, in ten digits."""
    if not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    for size in (1000, 100_000, 1_000_000, 100_000_000):
        (folder / f"{size:010}").write_bytes(pattern(size))
    folder.chmod(0o755)
    (folder / "nginx.conf").write_text(_CONFIGURATION.format(folder=folder, address=address))
    process = lab.begin("nginx", "-c", str(folder / "nginx.conf"))
    try:
        lab.await_listening(8080)
        yield lab
    finally:
        process.kill()
        process.wait()
