# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients over IPv6, through the kernel's router and with the kernel's own TCP."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder

from .lab import Lab, pattern
from .nginx import nginx_in
from .opened import opened
from .robots import check_passed, run


def test_shipped_tables_run_over_ipv6(tmp_path: Path) -> None:
    check_passed(run("connections_ipv6.robot", tmp_path))


def test_the_kernel_speaks_with_both_ends(tmp_path: Path) -> None:
    with closing(opened("embedded/l3-router-ipv6", tmp_path / "evidence")) as bed:
        lab = Lab(bed)
        servers = Endpoints.parse("[2001:2:0:2::2]:80")
        lab.start(Responder(name="web", port="p2", protocol="http-server", servers=servers))
        for size in (0, 1, 65_536, 1_000_000):
            url = f"http://[2001:2:0:2::2]/{size}"
            assert lab.run("curl", "--silent", "--show-error", "--fail", "--max-time", "60", url) == pattern(
                size
            )
        with nginx_in(lab, tmp_path, "[2001:2:0:1::1]"):
            target = Endpoints.parse("[2001:2:0:1::1]:8080")
            users = {"protocol": "http-client", "target": target, "parameters": {"size": 1000}}
            lab.start(Clients(name="users", port="p1", connections=5, total=20, **users))
            counted = lab.until("users", lambda now: now.ended == 20)
        assert (counted.established, counted.failed) == (20, 0)
