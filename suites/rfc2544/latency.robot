*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544 section 26.2: how long the device holds a frame at its throughput,
...                 or at the part of it that the profile asks for.
...                 Every frame is measured; the bound is on the 99th percentile.
Resource            ../../resources/rfc2544.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           latency    layer-${CRITERIA.layer}
Test Template       Latency Is At Most


*** Test Cases ***    FRAME SIZE    AT MOST
64 Bytes              64            ${CRITERIA.latency}[64]
128 Bytes             128           ${CRITERIA.latency}[128]
256 Bytes             256           ${CRITERIA.latency}[256]
512 Bytes             512           ${CRITERIA.latency}[512]
1024 Bytes            1024          ${CRITERIA.latency}[1024]
1280 Bytes            1280          ${CRITERIA.latency}[1280]
1518 Bytes            1518          ${CRITERIA.latency}[1518]


*** Keywords ***
Latency Is At Most
    [Documentation]    Searches the throughput, measures the latency there, and compares it.
    [Arguments]    ${frame_size}    ${at_most}
    Create Test Streams    ${frame_size}
    ${throughput} =    Find Throughput For Latency
    ${result} =    Measure Latency    throughput=${throughput}    part=${PROFILE.latency.part}
    Verify Latency Below    ${at_most}    ${result}    percentile=99
