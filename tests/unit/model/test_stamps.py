# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.ports import Forwarding
from TesterLibrary.model.stamps import ALL_KEPT, Kept, LoadedPath, StampMode, Stamps, kept_by
from TesterLibrary.model.units.units import Duration

PATHS = (LoadedPath("path north", "north"), LoadedPath("path south", "south"))


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"paths": (PATHS[0], PATHS[0])}, "path 'north' is given twice"),
        ({"mtu": 67}, "mtu=67; give 68 to 65,535 bytes"),
        ({"flows": 65_536}, "flows=65,536; give 1 to 65,535 with mode=stamp"),
        ({"flows": 0}, "flows=0; give 1 to 65,535"),
        ({"mode": StampMode.MATCH, "flows": (1 << 20) + 1}, "give 1 to 1,048,576 with mode=match"),
        ({"under_way": 63}, "under_way=63; give 64 to 16,777,216"),
        ({"timeout": Duration(0)}, "timeout=0 ns is no delay"),
        ({"interval": Duration(999_999)}, "interval=999.999 us is no delay; give 1 ms"),
        (
            {"mode": StampMode.MATCH, "kept": (Kept.SOURCE,)},
            "kept=source tells no two packets of a flow apart",
        ),
        ({"mode": StampMode.MATCH, "kept": (Kept.PAYLOAD,)}, "give data_only=True"),
    ],
)
def test_what_can_never_be_right_is_refused(changes: dict[str, Any], refusal: str) -> None:
    with pytest.raises(PlanError, match=refusal):
        Stamps(**{"name": "load", "paths": PATHS, **changes})


def test_what_is_kept_does_not_matter_to_stamps() -> None:
    assert Stamps(name="load", paths=PATHS, kept=(Kept.SOURCE,)).mode is StampMode.STAMP


@pytest.mark.parametrize("forwarding", list(Forwarding))
def test_a_device_that_translates_keeps_neither_addresses_nor_ports(forwarding: Forwarding) -> None:
    kept = set(kept_by(forwarding))
    rewritten = {Kept.SOURCE, Kept.DESTINATION, Kept.SOURCE_PORT, Kept.DESTINATION_PORT}
    assert kept == set(ALL_KEPT) - (rewritten if forwarding is Forwarding.TRANSLATED else set())
