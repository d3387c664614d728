*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Applications of queries and triggers: those of the HyperTester paper, and more.
Name                Apps
Test Tags           apps
