*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.1: the highest load at which the device forwards every frame.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           throughput    layer-${CRITERIA.layer}
Test Template       Throughput Is At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.throughput}[64]
128 Bytes             128           ${CRITERIA.throughput}[128]
256 Bytes             256           ${CRITERIA.throughput}[256]
512 Bytes             512           ${CRITERIA.throughput}[512]
1024 Bytes            1024          ${CRITERIA.throughput}[1024]
1280 Bytes            1280          ${CRITERIA.throughput}[1280]
1518 Bytes            1518          ${CRITERIA.throughput}[1518]


*** Keywords ***
Throughput Is At Least
    [Documentation]    Searches the throughput and compares it.
    [Arguments]    ${frame_size}    ${at_least}
    Create Test Streams    ${frame_size}
    ${result} =    Find Throughput    loss=0
    ...    resolution=${PROFILE.throughput.resolution}
    ...    lowest=${PROFILE.throughput.lowest}
    ...    sustained=${PROFILE.throughput.sustained}
    Verify Throughput Above    ${at_least}    ${result}
