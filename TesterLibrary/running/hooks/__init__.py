# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks: commands of a testbed that reset the device, ask it or load filters into it."""
