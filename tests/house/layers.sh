#!/bin/sh
# layers.sh ROOT - every include obeys the tables of layers and rooms in docs/architecture.md.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

files=$(house_sources "$1")
found=$(
	cd "$1"
	# shellcheck disable=SC2086 # a list of words
	[ -z "$files" ] || awk '
	BEGIN {
		may["base"] = "paleo base"
		may["model"] = "base model"
		may["bench"] = "base model bench"
		may["calib"] = "base model calib"
		may["import"] = "base model import"
		may["library"] = "paleo base model import library"
		may["web"] = "paleo base model import library web"
		may["tools"] = "paleo base model import bench calib library tools"
		may["include"] = "paleo"
		# The rooms of model/, each with those that it may look into.
		room["op"] = ""
		room["net"] = "op"
		room["device"] = "op"
		room["record"] = "op net device"
		room["predict"] = "op net device"
		room["simulate"] = "op net device"
		room["transformer"] = "op net"
		room["source"] = "op net device predict"
		room["serving"] = "op net device predict transformer"
		room["paleo2017"] = "net device simulate"
		# The rooms of tools/ likewise. A command looks into what all share, and into its own folder.
		every_command = "cli session print"
		tool_room["cli"] = "session"
		tool_room["session"] = ""
		tool_room["print"] = "cli session"
		# Whose headers may stand where: header pattern, then file pattern.
		vendor["^cjson/"] = "^base/json[a-z_]*[.]c$"
		vendor["^zlib[.]h"] = "^base/(gzip|lines)[.]c$"
		vendor["^(oneapi/)?dnnl"] = "^bench/backends/cpu/"
		vendor["^(cudnn|cublas|nvrtc|nvml|cupti|driver_types)"] = "^bench/backends/cuda/"
		vendor["^cuda"] = "^bench/(backends/cuda/|transports/nccl)"
		vendor["^nccl[.]h"] = "^bench/transports/nccl"
		vendor["^mpi[.]h"] = "^bench/transports/mpi"
		vendor["^omp[.]h"] = "^bench/backends/"
	}
	function complain(what) { print FILENAME ":" FNR ": " what ": " $0 }
	function backend(path) { return match(path, "^bench/backends/[^/]*/") ? substr(path, 1, RLENGTH) : "" }
	/^[ \t]*#[ \t]*include[ \t]*</ {
		header = $0
		sub(/^[^<]*</, "", header)
		sub(/>.*/, "", header)
		for (pattern in vendor)
			if (header ~ pattern && FILENAME !~ vendor[pattern])
				complain("vendor header outside of its place")
		next
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split(FILENAME, from, "/")
		header = $0
		sub(/^[^"]*"/, "", header)
		sub(/".*/, "", header)
		if (header == "paleo_config.h") {
			if (from[1] != "bench" && from[1] != "library" && from[1] != "tools")
				complain("only bench, library and tools know the version and the folders")
			next
		}
		for (pattern in vendor)
			if (header ~ pattern)
				complain("vendor headers stand in <>")
		if (header !~ "/" || header ~ /[.][.]?\//) {
			complain("an include names its folder")
			next
		}
		split(header, to, "/")
		if (index(" " may[from[1]] " ", " " to[1] " ") == 0)
			complain(from[1] " may include " may[from[1]] " only")
		if (from[1] == "model" && to[1] == "model" && from[2] != to[2] &&
		    index(" " room[from[2]] " ", " " to[2] " ") == 0)
			complain("model/" from[2] " may include these rooms only: " room[from[2]])
		if (from[1] == "tools" && header ~ /^tools\/[^\/]*\// && from[2] != to[2]) {
			others = from[2] in tool_room ? tool_room[from[2]] : every_command
			if (index(" " others " ", " " to[2] " ") == 0)
				complain("tools/" from[2] " may include these rooms only: " others)
		}
		if (backend(header) != "" && backend(header) != backend(FILENAME))
			complain("a backend is included by nobody else")
	}
	/^[ \t]*#[ \t]*include/ && !/[<"]/ { complain("an include that cannot be read") }
	' $files
)
# shellcheck disable=SC2086 # a list of words
set -- $files
house_verdict layers "$found" $#
