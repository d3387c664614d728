# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""MLRsearch, Multiple Loss Ratio search (RFC 9971): loads that meet several goals, in one search."""

from .result import MultipleLossRatioResult

__all__ = ["MultipleLossRatioResult"]
