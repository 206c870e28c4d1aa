#!/bin/sh
# convolutions.sh FOLDER - held-out errors on published times of convolutions; prints convolutions.txt.
# SPDX-License-Identifier: Apache-2.0
#
# FOLDER holds the tables that README.md names. PALEO is the program, build/bin/paleo by default.
set -eu
tables=$1
paleo=${PALEO:-build/bin/paleo}

echo "Channels held out together:"
for gpu in P4 P100_PCIE T4; do
	"$paleo" validate --hold-out channels "$tables/neusight_convcorr_$gpu.csv.gz"
done
echo "Image sizes held out together:"
for gpu in P4 P100_PCIE T4; do
	"$paleo" validate --hold-out images "$tables/neusight_convcorr_$gpu.csv.gz"
done
echo "Whole layers held out:"
"$paleo" validate --device titan-x "$tables/deepbench_train_conv2d_fp32_TITAN_X_MAXWELL.csv.gz"
for gpu in M40 P100_SXM2 GTX1080TI; do
	"$paleo" validate "$tables/deepbench_train_conv2d_fp32_$gpu.csv.gz"
done
"$paleo" validate --dtype f16 "$tables/deepbench_train_conv2d_fp16_P100_SXM2.csv.gz"
echo "Few rows to fit, none of the chip at first:"
for rows in 0 5 20 100; do
	for gpu in P4 P100_PCIE T4; do
		"$paleo" validate --rows "$rows" --hold-out channels \
			"$tables/neusight_convcorr_$gpu.csv.gz"
	done
done
