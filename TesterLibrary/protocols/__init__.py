# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Stateful protocols as data: reading, checking, drawing and running their tables."""
