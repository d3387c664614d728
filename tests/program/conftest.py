# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs for the tests of this folder; without a compiler they are skipped, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.p4.compiler import find_compiler

from .compiled import compiled, compiled_into
from .program import P4Program

IPV6_PROTOCOLS = ("http-get-ipv6", "dns-one-ipv6", "http-get", "arp")  # of IPv4, too, in one program


@pytest.fixture(scope="session")
def program() -> P4Program:
    return _compiled("tofino")


@pytest.fixture(scope="session")
def program2() -> P4Program:
    return _compiled("tofino2")


@pytest.fixture(scope="session")
def ipv6(tmp_path_factory: pytest.TempPathFactory) -> tuple[P4Program, Path]:
    """The program of a Tofino 2 with servers of IPv6, and the folder of its outputs."""
    _need_compiler()
    output = tmp_path_factory.mktemp("ipv6") / "build"
    return compiled_into(output, "tofino2", IPV6_PROTOCOLS), output


@pytest.fixture(scope="session")
def paths() -> P4Program:
    return _compiled("inline")


def _compiled(profile: str) -> P4Program:
    _need_compiler()
    return compiled(profile)


def _need_compiler() -> None:
    try:
        find_compiler()
    except PlanError as absent:
        pytest.skip(str(absent))
