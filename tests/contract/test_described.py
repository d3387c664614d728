# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that a switch can never send are refused when they are described."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.running.suite import Suite
from tests.unit.running.testers import opened, stream

from .rig import SwitchRig

pytestmark = pytest.mark.fakes


def suite_on_switch(directory: Path) -> Suite:
    rig = SwitchRig()
    suite = opened(directory, target=rig.target)
    suite.tester.ports = rig.ports
    return suite


def test_a_frame_without_checksum_is_refused(tmp_path: Path) -> None:
    suite = suite_on_switch(tmp_path)
    headers = HeaderStack.parse("Ether / IP / UDP(chksum=0)")
    with pytest.raises(PlanError, match="UDP without a checksum"):
        suite.put(replace(stream(), headers=headers))
    assert not suite.streams


def test_a_change_that_a_switch_cannot_make_leaves_the_stream_as_it_was(tmp_path: Path) -> None:
    suite = suite_on_switch(tmp_path)
    suite.put(stream())
    with pytest.raises(PlanError, match="UDP without a checksum"):
        suite.change("north", headers=HeaderStack.parse("Ether / IP / UDP(chksum=0)"))
    assert suite.streams == {"north": stream()}
