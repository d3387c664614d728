# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands make their report of Allure empty: the tool takes longer than all else that they do.

Its report is looked at in `tests/browser`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from TesterLibrary.reporting.allure.report import COMMAND_VARIABLE


@pytest.fixture(scope="package", autouse=True)
def _empty_allure() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMMAND_VARIABLE, str(Path(__file__).with_name("empty_allure.sh")))
        yield
