# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many live pages a service has open, of all and of each user."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from TesterLibrary.service.live import LAST_EVENT, MOST_PAGES, LivePages
from TesterLibrary.service.refusal import TooMany


def test_one_user_leaves_pages_to_others(tmp_path: Path) -> None:
    async def opened() -> None:
        pages = LivePages()
        told: list[Any] = []

        async def fill(user: str) -> int:
            """How many pages a user can open."""
            for number in range(MOST_PAGES + 1):
                try:
                    told.append(pages.events(tmp_path, tmp_path, "", user).body_iterator)
                except TooMany:
                    return number
            return MOST_PAGES + 1

        assert [await fill(user) for user in ("alice", "alice", "bob", "carol")] == [12, 0, 4, 0]
        told.pop(0)  # which has not begun
        assert [await fill(user) for user in ("bob", "alice")] == [1, 0]
        await asyncio.to_thread(pages.close)
        while told:
            assert [message async for message in told.pop()][-1] == LAST_EVENT
        assert await fill("alice") == 12

    asyncio.run(opened())
