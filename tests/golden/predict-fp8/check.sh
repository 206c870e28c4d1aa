#!/bin/sh
# check.sh - a net in fp8 on a device that has it, and on some that do not.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

say paleo-predict --dtype fp8 --device h100-sxm --batch 1 --pass fwd --format csv "$small"
say paleo-predict --dtype fp8 --device a100-80-sxm --batch 1 --pass fwd "$small"
say paleo-predict --dtype fp8 --device t4 --law presets "$small"
say paleo-fullpass --device fake --dtype fp8 "$small" | sed -n '/whole\|->/p'
