# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Registers and counters of a switch, as figures of streams, ends and ports."""
