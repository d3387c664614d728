*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     The rate that a shaper lets through, by what arrives while more is sent.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Rate Is Kept
    [Documentation]    A quarter more than the rate is sent. Bucket and queue add the same each time.
    Create Stream    north    frame_size=512    rate=25 Mbps
    ${trial} =    Measure Loss    north    duration=2 s
    Verify Value    ${trial.received_rate} fps    >=    1 kpps    of=rate of north, 512 bytes
