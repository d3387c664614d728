# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of frames as bytes: their types, their fields, and the addresses that fill them."""
