# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns on several testers: who tests what and when, here or on the machines of a Ray cluster."""
