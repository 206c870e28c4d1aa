#!/bin/sh
# check.sh - what a datasheet predicts, in each format.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/golden/lib.sh
. "$1/tests/golden/lib.sh"

say paleo-predict --device h100-sxm --batch 4096 "$small"
say paleo-predict --device h100-sxm --batch 1 --format csv "$small"
say paleo-predict --device h100-sxm --batch 1 --pass fwd --format jsonl "$small"
