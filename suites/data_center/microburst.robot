*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 8239 sections 3 and 4: the longest burst from several ports to one at once, without loss, and
...                 what of it the device holds.
Name                Micro Bursts
Resource            ../../resources/rfc8239.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           microburst    layer-${CRITERIA.layer}
Test Template       Burst To One Port Is At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.data_center.burst}[64]
128 Bytes             128           ${CRITERIA.data_center.burst}[128]
256 Bytes             256           ${CRITERIA.data_center.burst}[256]
512 Bytes             512           ${CRITERIA.data_center.burst}[512]
1024 Bytes            1024          ${CRITERIA.data_center.burst}[1024]
1280 Bytes            1280          ${CRITERIA.data_center.burst}[1280]
1518 Bytes            1518          ${CRITERIA.data_center.burst}[1518]


*** Keywords ***
Burst To One Port Is At Least
    [Documentation]    Every other port sends to the first one; bounds are frames of each of them.
    [Arguments]    ${frame_size}    ${at_least}
    Create Streams Over Ports    incast    @{PORTS}    pattern=many-to-one    frame_size=${frame_size}
    ${result} =    Find Maximum Burst    incast
    Log    The device held ${result.buffered} frames of all ports.
    Verify Maximum Burst Above    ${at_least}    ${result}
