# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: the selection, execution, continuation and merge of certification runs."""
