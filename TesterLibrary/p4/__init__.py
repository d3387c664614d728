# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The P4 program of a switch: generated from protocols, compiled, and what it takes of the chip."""
