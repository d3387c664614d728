*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 21: the smallest gap between bursts at line rate of which the device loses no
...                 frame, for bursts of 16, 64, 256 and 1,024 frames.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           bursty-traffic    layer-${CRITERIA.layer}
Test Template       Throughput Of Bursts Is At Least


*** Variables ***
${FRAME_SIZE}       512    # in bytes; the bounds are those of throughput


*** Test Cases ***      FRAMES    AT LEAST
Bursts Of 16            16        ${CRITERIA.throughput}[${FRAME_SIZE}]
Bursts Of 64            64        ${CRITERIA.throughput}[${FRAME_SIZE}]
Bursts Of 256           256       ${CRITERIA.throughput}[${FRAME_SIZE}]
Bursts Of 1024          1024      ${CRITERIA.throughput}[${FRAME_SIZE}]


*** Keywords ***
Throughput Of Bursts Is At Least
    [Documentation]    Searches the highest load in bursts: the higher it is, the smaller is the gap between them.
    [Arguments]    ${frames}    ${at_least}
    Create Test Streams    ${FRAME_SIZE}
    Set Burst Pattern    north    ${frames}
    IF    int($DIRECTIONS) == 2    Set Burst Pattern    south    ${frames}
    ${result} =    Find Throughput    loss=0
    ...    resolution=${PROFILE.throughput.resolution}
    ...    lowest=${PROFILE.throughput.lowest}
    ...    sustained=${PROFILE.throughput.sustained}
    IF    $result.load
        Log    Least gap between bursts: ${{ int(int($frames) / $result.load - int($frames)) }} frames at line rate
    END
    Verify Throughput Above    ${at_least}    ${result}
