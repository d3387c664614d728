# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Speaks to a switch's daemon with the vendor's client: a program that `RemoteSwitch` runs.

It runs in the Python of the user's SDE, whose libraries are not ours, and so imports nothing of this library:

    python -m vendor HOST:PORT PROGRAM CPU_INTERFACE

Requests and answers are those of `words.py`, as plain dictionaries.
"""
