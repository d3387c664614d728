# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several testers as one: the two ends of a stream may be ports of different testers."""

from __future__ import annotations

from .target import JoinedTarget

__all__ = ["JoinedTarget"]
