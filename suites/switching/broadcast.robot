*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 section 5.10: frames to all stations, which every other port has to get: the highest load
...                 without loss, and the latency there.
Name                Broadcast
Resource            ../../resources/rfc2889.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           broadcast    layer-${CRITERIA.layer}
Test Template       Broadcasts Reach Each Port


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.switching.broadcast}[64]
128 Bytes             128           ${CRITERIA.switching.broadcast}[128]
256 Bytes             256           ${CRITERIA.switching.broadcast}[256]
512 Bytes             512           ${CRITERIA.switching.broadcast}[512]
1024 Bytes            1024          ${CRITERIA.switching.broadcast}[1024]
1280 Bytes            1280          ${CRITERIA.switching.broadcast}[1280]
1518 Bytes            1518          ${CRITERIA.switching.broadcast}[1518]


*** Keywords ***
Broadcasts Reach Each Port
    [Documentation]    The first port sends; latency is that at the second one, at 90 % of the throughput.
    [Arguments]    ${frame_size}    ${at_least}
    Create Broadcast Stream    broadcast    @{PORTS}    frame_size=${frame_size}
    ${result} =    Find Throughput
    ...    broadcast
    ...    resolution=${PROFILE.switching.resolution}
    ...    lowest=${PROFILE.switching.lowest}
    Verify Throughput Above    ${at_least}    ${result}
    Measure Latency    broadcast    throughput=${result}    part=90 %
    Verify Latency Below    ${CRITERIA.switching.broadcast_latency}    percentile=99
