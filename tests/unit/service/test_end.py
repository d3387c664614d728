# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A service that ends says nothing of what it has ended itself."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import load_config
from TesterLibrary.service.server import Service
from TesterLibrary.service.store import KIND, Store


def test_no_traceback_is_left_of_the_tasks_that_were_cancelled(tmp_path: Path) -> None:
    file = tmp_path / "lab.yaml"
    file.write_text("version: 1\nplaces: {trial: {testbed: simulated/breakpoint}}\n")
    said: list[dict[str, Any]] = []

    async def begun_and_ended() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
        service = Service(
            load_config(file), Store(Address.parse(str(tmp_path / "service.sqlite"), KIND), alone=True)
        )
        async with service.api.router.lifespan_context(service.api):
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(begun_and_ended())
    gc.collect()
    assert said == []
