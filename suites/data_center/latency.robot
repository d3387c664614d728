*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 8239 section 2: ports in pairs, each with the other, at the highest rate without loss: latency
...                 and its variation.
Name                Line Rate Latency
Resource            ../../resources/rfc8239.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           line-rate    layer-${CRITERIA.layer}
Test Template       Latency Of Pairs Is At Most


*** Test Cases ***    FRAME SIZE
64 Bytes              64
512 Bytes             512
1518 Bytes            1518


*** Keywords ***
Latency Of Pairs Is At Most
    [Documentation]    Searches the throughput of all pairs at once, and measures there.
    [Arguments]    ${frame_size}
    Create Streams Over Ports    pairs    @{PORTS}    pattern=pairs    frame_size=${frame_size}
    ${throughput} =    Find Throughput
    ...    pairs
    ...    resolution=${PROFILE.throughput.resolution}
    ...    lowest=${PROFILE.throughput.lowest}
    Verify Throughput Above    ${CRITERIA.data_center.throughput}    ${throughput}
    Measure Latency    pairs    throughput=${throughput}    part=${PROFILE.latency.part}
    Verify Latency Below    ${CRITERIA.data_center.latency}    percentile=99
    Get Latency    pdv99    <=    ${CRITERIA.data_center.variation}
