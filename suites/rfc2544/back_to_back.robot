*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.4 with RFC 9004: the longest burst at line rate of which no frame is lost.
...                 A device that forwards at line rate has none; it is judged by the frames of its trial there.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           back-to-back    layer-${CRITERIA.layer}
Test Template       Longest Burst Is At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.back_to_back}[64]
128 Bytes             128           ${CRITERIA.back_to_back}[128]
256 Bytes             256           ${CRITERIA.back_to_back}[256]
512 Bytes             512           ${CRITERIA.back_to_back}[512]
1024 Bytes            1024          ${CRITERIA.back_to_back}[1024]
1280 Bytes            1280          ${CRITERIA.back_to_back}[1280]
1518 Bytes            1518          ${CRITERIA.back_to_back}[1518]


*** Keywords ***
Longest Burst Is At Least
    [Documentation]    Searches the throughput, then the longest burst, repeatedly, and compares the average.
    [Arguments]    ${frame_size}    ${at_least}
    Create Test Streams    ${frame_size}
    ${result} =    Find Maximum Burst
    Verify Maximum Burst Above    ${at_least}    ${result}
