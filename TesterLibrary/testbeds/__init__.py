# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbeds: what a file says of tester and device, and embedded devices that this machine makes itself."""

from __future__ import annotations

from .hosting import HostedTestbed, clean_stale, list_testbeds
from .load import load_testbed, shipped_testbeds
from .running import InterfaceCounters, RunningTestbed, open_testbed
from .testbed import CertificateFiles, DutSpec, Testbed, TestbedPort, TesterSpec

__all__ = [
    "CertificateFiles",
    "DutSpec",
    "HostedTestbed",
    "InterfaceCounters",
    "RunningTestbed",
    "Testbed",
    "TestbedPort",
    "TesterSpec",
    "clean_stale",
    "list_testbeds",
    "load_testbed",
    "open_testbed",
    "shipped_testbeds",
]
