*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 section 5.1: the throughput of a full mesh, in which each port sends to every other one.
Name                Fully Meshed Throughput
Resource            ../../resources/rfc2889.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           mesh    layer-${CRITERIA.layer}
Test Template       Mesh Throughput Is At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.switching.mesh}[64]
128 Bytes             128           ${CRITERIA.switching.mesh}[128]
256 Bytes             256           ${CRITERIA.switching.mesh}[256]
512 Bytes             512           ${CRITERIA.switching.mesh}[512]
1024 Bytes            1024          ${CRITERIA.switching.mesh}[1024]
1280 Bytes            1280          ${CRITERIA.switching.mesh}[1280]
1518 Bytes            1518          ${CRITERIA.switching.mesh}[1518]


*** Keywords ***
Mesh Throughput Is At Least
    [Documentation]    Searches the load of each port without loss.
    [Arguments]    ${frame_size}    ${at_least}
    Create Streams Over Ports    mesh    @{PORTS}    pattern=mesh    frame_size=${frame_size}
    ${result} =    Find Throughput
    ...    mesh
    ...    resolution=${PROFILE.switching.resolution}
    ...    lowest=${PROFILE.switching.lowest}
    Verify Throughput Above    ${at_least}    ${result}
