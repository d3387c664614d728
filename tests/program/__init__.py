# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs the P4 program itself: an interpreter of what the compiler's front end makes of it.

It stands where the pipelines of the fake chip stand, below the same tables, ports and driver, so that each is
a check of the other. It has what our program uses of the Tofino native architecture, and nothing else.
"""
