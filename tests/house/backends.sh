#!/bin/sh
# backends.sh ROOT - no source outside of a backend's or a transport's own place holds its name.
# SPDX-License-Identifier: Apache-2.0
#
# What differs between them is a field of their line in backends.def and transports.def. Comments may
# name them.
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

names=$(cd "$1" && sed -n 's/^[A-Z]*(\([a-z0-9]*\),.*/\1/p' model/device/backends.def bench/transports.def)
files=$(house_sources "$1")
found=$(
	cd "$1"
	# shellcheck disable=SC2086 # a list of words
	awk -v names="$names" '
	BEGIN { count = split(names, name, /[ \n]+/) }
	FNR == 1 { is_comment = 0 }
	{
		code = $0
		if (is_comment && !sub(/^.*[*]\//, "", code))
			next
		is_comment = 0
		gsub(/\/[*]([^*]|[*][^\/])*[*]\//, "", code)
		is_comment = sub(/\/[*].*$/, "", code)
		for (i = 1; i <= count; i++)
			if (index(code, "\"" name[i] "\"") &&
			    FILENAME !~ "^bench/(backends|transports)/" name[i] "[/.]")
				print FILENAME ":" FNR ": names " name[i] ", ask a field of its line in the list: " $0
	}
	' $files
)
# shellcheck disable=SC2086 # a list of words
set -- $names
house_verdict backends "$found" $#
