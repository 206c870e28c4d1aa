#!/bin/sh
# check.sh - options and commands that do not exist, or lack or have a value.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

say paleo profil
say paleo xyzzy
say paleo help profil
say paleo-profile --devcie 0
say paleo-profile -batch 3
say paleo-profile --resume=1
say paleo-predict --f text
say paleo-predict --device
say paleo-predict --format xml
say paleo-predict --batch 0
say paleo-predict --batch 1048577
say paleo-predict --batch 99999999999999999999
say paleo-predict --batch 1.5
say paleo-predict --batch nan
say paleo-profile --time-budget 1d
say paleo-predict --calibration ''
say paleo-predict
say paleo-profile
say paleo-validate
say paleo-calibrate records.jsonl
say paleo-profile --device gpu "$small"
say paleo-profile --device -1 "$small"
