*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Measuring while traffic flows, one test for each way to measure.
Name                Measurement
