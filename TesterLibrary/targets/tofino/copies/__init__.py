# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies of packets that a switch sends to this machine, and the captures made of them."""
