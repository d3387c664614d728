# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the vendor's client of BFRT, and a conversation that was recorded with the vendor's own.

`conversation.json` has what a driver asked of `vendor/`, which messages the vendor's client made of that, and
what it got as answers. The answers were scripted: no daemon of a switch had part in it. Messages are as JSON
has those of protobuf. The stand-in makes the messages that the vendor's client makes, and gets those answers.
"""
