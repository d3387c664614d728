*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       ITU-T Y.1564: services with a bandwidth profile, before they are handed to a customer.
Name                Service Activation
Test Tags           y1564
