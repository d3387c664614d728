*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Three services by ITU-T Y.1564: the configuration of each, then the performance of all together. To
...                 copy: the variables have the bandwidth profiles and what is required.
...
...                 | robot suites/service_activation
...                 | robot --variable TESTBED:my/testbed.yaml --variable PROFILE_NAME:full suites/service_activation
Metadata            Testbed    ${TESTBED}
Library             TesterLibrary    testbed=${TESTBED}    profile=${PROFILE_NAME}
Suite Setup         Open Services
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}              embedded/policer
${PROFILE_NAME}         service-activation
${FRAME}                512    # bytes, FCS included
${VOICE_CIR}            2 Mbps    # no excess
${VIDEO_CIR}            4 Mbps
${VIDEO_EIR}            2 Mbps    # in the same DSCP: colours are not known
${DATA_CIR}             3 Mbps    # green frames
${DATA_EIR}             1 Mbps    # yellow frames, of a DSCP of their own
${LOSS}                 0 %
${DELAY}                20 ms    # mean
${VARIATION}            100 ms    # of 99.9 % of the frames; a device in software on a busy machine
${AVAILABILITY}         99.9 %
${MARGIN}               6 %    # beyond CIR and EIR: what the bucket holds


*** Test Cases ***
Voice Is Configured
    [Documentation]    25 to 100 % of its CIR within the criteria; what is beyond is dropped.
    [Tags]    configuration
    Sweep Service Configuration    voice
    Verify Service Configuration    ${LOSS}    ${DELAY}    ${VARIATION}    ${MARGIN}

Video Is Configured
    [Documentation]    The same with an excess; beyond its CIR the service still gets its CIR.
    [Tags]    configuration
    Sweep Service Configuration    video    eir=${VIDEO_EIR}
    Verify Service Configuration    ${LOSS}    ${DELAY}    ${VARIATION}    ${MARGIN}

Data Is Configured By Colour
    [Documentation]    Yellow frames beyond the EIR cost no green frame.
    [Tags]    configuration
    Sweep Service Configuration    data    eir=${DATA_EIR}    yellow=data beyond
    Verify Service Configuration    ${LOSS}    ${DELAY}    ${VARIATION}    ${MARGIN}

All Services Perform Together
    [Documentation]    Each at its CIR, for as long as the profile says.
    [Tags]    performance
    Measure Service Performance    voice    video    data
    Verify Service Performance
    ...    loss=${LOSS}
    ...    delay=${DELAY}
    ...    variation=${VARIATION}
    ...    availability=${AVAILABILITY}


*** Keywords ***
Open Services
    [Documentation]    Opens the tester, and describes a stream for each service and colour, known by DSCP.
    Open Tester
    Create Service    voice    ${VOICE_CIR}    0xb8
    Create Service    video    ${VIDEO_CIR}    0x28
    Create Service    data    ${DATA_CIR}    0x48
    Create Service    data beyond    ${DATA_EIR}    0x50

Create Service
    [Documentation]    A stream whose rate is a CIR; ``tos`` has the DSCP in its upper six bits.
    [Arguments]    ${name}    ${rate}    ${tos}
    Create Stream    ${name}    rate=${rate}    frame_size=${FRAME}    headers=Ether / IP(tos=${tos}) / UDP
