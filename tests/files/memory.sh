#!/bin/sh
# memory.sh - where any one allocation fails, a command succeeds or says why not; it never crashes.
# SPDX-License-Identifier: Apache-2.0
. "$1/tests/files/lib.sh"
needs_shim

comm=$source/tests/data/comm/nccl_2.json net=$source/tests/data/caffe/flat.prototxt
paleo-profile --device fake --output records "$small" >/dev/null
head -n 5 records >part

every_allocation 400 paleo-summary "$small"
every_allocation 400 paleo-predict --cost-model paleo2017 --device K20 "$small"
every_allocation 400 paleo-simulate --cost-model paleo2017 --device K20 --link ethernet \
	--workers 2 "$small"
every_allocation 400 paleo-convert --force --output net.json "$net"
every_allocation 400 paleo-devices
every_allocation 400 paleo-calibrate --link fitted "$comm" --force --output link.json
every_allocation 400 paleo-algorithms --device fake "$small"
every_allocation 400 paleo-algorithms --device fake --force --output description.json
paleo-check --device fake >/dev/null || : # a past, without which there is no verdict
every_allocation 30 paleo-check --device fake --force --output ceilings
every_allocation 200 paleo-fullpass --device fake --pass fwd --force --output passes "$small"
every_allocation 200 paleo-profile --device fake --filter softmax --force --output other "$small"
prepare="cp part resumed"
every_allocation 100 paleo-profile --device fake --resume --output resumed "$small"
every_allocation 100 paleo-calibrate --from records --force --output calibration
prepare=: where=worker
every_allocation 400 paleo-profile --device fake --filter 'softmax|conv' --force --output other "$small"
every_allocation 400 paleo-fullpass --device fake --pass fwd --force --output passes "$small"
complete=same_end # an op that is not supported for want of memory is a row that says so
every_allocation 30 env PALEO_FAKE=still paleo-check --device fake --force --output ceilings
complete=same_words
every_allocation 400 paleo-algorithms --device fake "$small"
finish "memory may run out anywhere"
