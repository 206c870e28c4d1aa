#!/bin/sh
# allreduce.sh FOLDER - held-out errors on published times of all-reduces; prints allreduce.txt.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names. PALEO is the program, build/bin/paleo by default.
set -eu
tables=$1
paleo=${PALEO:-build/bin/paleo}

"$paleo" validate --device a100-80-sxm "$tables/aiconfigurator_nccl_A100_80GB_SXM.csv.gz"
"$paleo" validate --device a100-80-sxm "$tables/vidur_network_A100_80GB_SXM.csv.gz"
