*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A device that drops frames, and a capture that shows which.

Library           OperatingSystem
Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Variables ***
${TESTBED}    ${EMPTY}


*** Test Cases ***
Lost Frames Are Named
    [Documentation]    The frames around the first losses are in a file of their own.
    Create Stream    north    tx=p1    rx=p2    frame_size=1024    rate=5 kpps
    Start Capture    all    streams=north
    ${trial} =    Send Burst    north    packets=500
    Stop Capture    all
    Should Be True    ${trial.lost} > 0
    Get Capture Statistics    all    captured    ==    ${{ $trial.sent + $trial.received }}
    File Should Exist    ${OUTPUT DIR}/evidence/captures/all-losses.pcapng
