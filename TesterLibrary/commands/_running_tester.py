# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tester of a testbed, where it runs on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TestbedError
from ..testbeds import load_testbed

if TYPE_CHECKING:
    from ..targets.engine.client import EngineTarget


def running_tester(testbed: str) -> EngineTarget:
    """Connects to it.

    Raises:
        TestbedError: the testbed has no tester with an address.
    """
    from ..targets.engine.client import EngineTarget  # takes long to load

    spec = load_testbed(testbed).only_tester
    if spec.address is None:
        where = "is in a switch" if spec.switch else "is started on this machine by each run"
        raise TestbedError(
            f"the tester of {testbed} {where}, so it is shared with nobody; give a testbed whose tester has "
            "an address"
        )
    return EngineTarget.connect(spec.address, certificates=spec.certificates)
