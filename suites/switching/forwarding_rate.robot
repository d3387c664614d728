*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2889 section 5.6: what a full mesh forwards at the maximum offered load, and at most.
Name                Forwarding Rate
Resource            ../../resources/rfc2889.resource
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Tags           forwarding-rate    layer-${CRITERIA.layer}
Test Template       Forwarding Rates Are At Least


*** Test Cases ***    FRAME SIZE    AT LEAST
64 Bytes              64            ${CRITERIA.switching.forwarding_rate}[64]
128 Bytes             128           ${CRITERIA.switching.forwarding_rate}[128]
256 Bytes             256           ${CRITERIA.switching.forwarding_rate}[256]
512 Bytes             512           ${CRITERIA.switching.forwarding_rate}[512]
1024 Bytes            1024          ${CRITERIA.switching.forwarding_rate}[1024]
1280 Bytes            1280          ${CRITERIA.switching.forwarding_rate}[1280]
1518 Bytes            1518          ${CRITERIA.switching.forwarding_rate}[1518]


*** Keywords ***
Forwarding Rates Are At Least
    [Documentation]    Measures from the throughput up to the maximum offered load.
    [Arguments]    ${frame_size}    ${at_least}
    Create Streams Over Ports    mesh    @{PORTS}    pattern=mesh    frame_size=${frame_size}
    ${result} =    Sweep Forwarding Rate    mesh    step=${PROFILE.switching.step}
    Verify Forwarding Rate At Maximum Load Above    ${at_least}[at_maximum_load]    ${result}
    Verify Maximum Forwarding Rate Above    ${at_least}[maximum]    ${result}
