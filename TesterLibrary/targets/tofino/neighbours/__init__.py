# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Questions for MAC addresses and their answers, through the CPU port of a switch."""
