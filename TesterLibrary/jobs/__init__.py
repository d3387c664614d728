# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that describe traffic: jobs, and headers that Scapy does not have."""
