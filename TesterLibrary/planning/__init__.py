# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""From what the user wants to what a tester does: pure functions that refuse what cannot be done."""

from __future__ import annotations

from .compile import compile  # noqa: A004 - the word of the architecture

__all__ = ["compile"]
