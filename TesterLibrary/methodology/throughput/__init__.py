# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Throughput (RFC 2544 §26.1): the highest load at which the device loses no more than is allowed."""

from .controller import find_throughput
from .result import LimitedBy, Repetition, ThroughputResult
from .search import ThroughputSearch

__all__ = ["LimitedBy", "Repetition", "ThroughputResult", "ThroughputSearch", "find_throughput"]
