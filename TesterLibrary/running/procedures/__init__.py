# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurers of the procedures: each sends shots, waits for readings, and computes."""
