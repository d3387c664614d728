*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Three services by ITU-T Y.1564: the configuration of each, its burst sizes, then the performance of
...                 all together. To copy: the variables have the bandwidth profiles and what is required.
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
${VIDEO_EIR}            2 Mbps    # sent without a colour: the device marks what is beyond the CIR
${VIDEO_GREEN}          IP.tos == 0x28    # where frames arrive
${VIDEO_YELLOW}         IP.tos == 0x30
${DATA_CIR}             3 Mbps    # green frames
${DATA_EIR}             1 Mbps    # yellow frames, of a DSCP of their own
${DATA_GREEN}           IP.tos == 0x48
${DATA_YELLOW}          IP.tos == 0x50
${VOICE_CBS}            10240    # bytes of frames, FCS included
${VIDEO_CBS}            12288
${VIDEO_EBS}            10240
${DATA_CBS}             10240
${DATA_EBS}             6144
${LONGEST_BURST}        100 kB    # that is tried
${BURST_MARGIN}         10 %    # by which a burst size may be off: a frame, and one of its lateness
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
    [Documentation]    The same with an excess, which arrives yellow; what is within the CIR arrives green.
    [Tags]    configuration
    Sweep Service Configuration
    ...    video
    ...    eir=${VIDEO_EIR}
    ...    arrives_green=${VIDEO_GREEN}
    ...    arrives_yellow=${VIDEO_YELLOW}
    Verify Service Configuration    ${LOSS}    ${DELAY}    ${VARIATION}    ${MARGIN}

Data Is Configured By Colour
    [Documentation]    Yellow frames beyond the EIR cost no green frame, and each keeps its colour.
    [Tags]    configuration
    Sweep Service Configuration
    ...    data
    ...    eir=${DATA_EIR}
    ...    yellow=data beyond
    ...    arrives_green=${DATA_GREEN}
    ...    arrives_yellow=${DATA_YELLOW}
    Verify Service Configuration    ${LOSS}    ${DELAY}    ${VARIATION}    ${MARGIN}    yellow_loss=${LOSS}

Voice Has Its Burst Size
    [Documentation]    The committed burst size; frames beyond it are dropped.
    [Tags]    burst
    Find Committed Burst Size    voice    ${LONGEST_BURST}
    Burst Size Is    ${VOICE_CBS}

Video Has Its Burst Sizes
    [Documentation]    Frames beyond the committed burst size arrive yellow, up to the excess burst size.
    [Tags]    burst
    Find Committed Burst Size    video    ${LONGEST_BURST}    arrives_green=${VIDEO_GREEN}
    Burst Size Is    ${VIDEO_CBS}
    Find Excess Burst Size    video    ${VIDEO_EIR}    ${LONGEST_BURST}    arrives_yellow=${VIDEO_YELLOW}
    Burst Size Is    ${VIDEO_EBS}

Data Has Its Burst Sizes
    [Documentation]    Green and yellow frames have a bucket each.
    [Tags]    burst
    Find Committed Burst Size    data    ${LONGEST_BURST}
    Burst Size Is    ${DATA_CBS}
    Find Excess Burst Size    data    ${DATA_EIR}    ${LONGEST_BURST}    yellow=data beyond
    Burst Size Is    ${DATA_EBS}

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
    Create Service    video    ${VIDEO_CIR}    0x28    forwarding=routed    # its DSCP is rewritten
    Create Service    data    ${DATA_CIR}    0x48
    Create Service    data beyond    ${DATA_EIR}    0x50

Create Service
    [Documentation]    A stream whose rate is a CIR; ``tos`` has the DSCP in its upper six bits.
    [Arguments]    ${name}    ${rate}    ${tos}    &{more}
    Create Stream    ${name}    rate=${rate}    frame_size=${FRAME}    headers=Ether / IP(tos=${tos}) / UDP    &{more}

Burst Size Is
    [Documentation]    Compares the burst size that was found last, which may be off by the margin.
    [Arguments]    ${bytes}
    Verify Burst Size Above    ${bytes}    within=${BURST_MARGIN}
    Verify Burst Size Below    ${bytes}    within=${BURST_MARGIN}
