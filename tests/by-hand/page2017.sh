#!/bin/sh
# page2017.sh FOLDER [BUILD] - by hand: every curve of the original's page without cuDNN; library.page2017 has a tenth.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER has page.csv.gz, 27,648 points of its page's data, with the columns of tests/golden/paleo2017/page.csv.gz and
# use_cudnn.
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
build=${2:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "$folder/page.csv.gz" | grep -v ',true,' | gzip >"$work/page.csv.gz"
PALEO_DATA_DIR=$build/share/paleo "$build/tests/library/test_page2017" "$work/page.csv.gz" 13824
