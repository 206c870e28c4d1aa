#!/bin/sh
# rooms.sh - draws which room includes which, from the real #includes, as an SVG.
# SPDX-License-Identifier: Apache-2.0
#
# sh docs/rooms.sh [ROOT] > docs/reference/rooms.svg
#
# A room is a folder, down to the second: base, model/net, bench/backends; the folders of commands are one
# with tools, those of formats one with import. Fails, and names the files, where rooms include each other in a circle. An arrow that follows
# from other arrows is left out.
set -eu

# Lines "room of the includer, room of the included, file:line" in a fixed order.
# shellcheck disable=SC2016 # awk expands
includes() {
	find include base model import bench calib library web tools -name '*.[ch]' -exec awk '
		function room(path, part) {
			sub(/^paleo\//, "include/paleo/", path)
			if (path ~ /^tools\// && path !~ /^tools\/(cli|print|session)\//)
				return "tools"
			if (path ~ /^import\//)
				return "import"
			return split(path, part, "/") > 2 ? part[1] "/" part[2] : part[1]
		}
		FNR == 1 { print room(FILENAME), room(FILENAME), FILENAME }
		/^[ \t]*#[ \t]*include[ \t]*"[^"]*\// {
			split($0, quoted, "\"")
			print room(FILENAME), room(quoted[2]), FILENAME ":" FNR
		}' {} + | LC_ALL=C sort
}

cd "${1:-.}"
includes | awk '
	# Rooms in the order of their names; an arrow is kept with the first include that makes it.
	function add_room(name) {
		if (!(name in number)) {
			number[name] = ++rooms
			label[rooms] = name
		}
		return number[name]
	}
	{
		a = add_room($1)
		b = add_room($2)
		if (a != b && !((a, b) in by)) {
			by[a, b] = $3
			out[a, ++count[a]] = b
		}
	}

	# visit() finds the height of a room above those that include nothing, and circles.
	function visit(r, path,   i, t) {
		if (state[r] == 1)
			circle(r, path)
		if (state[r])
			return
		state[r] = 1
		for (i = 1; i <= count[r]; i++) {
			t = out[r, i]
			visit(t, path " " r)
			if (height[t] + 1 > height[r])
				height[r] = height[t] + 1
			reach(r, t)
		}
		state[r] = 2
		if (height[r] > top)
			top = height[r]
	}
	function reach(r, t,   i) {
		reaches[r, t] = 1
		for (i = 1; i <= rooms; i++)
			if ((t, i) in reaches)
				reaches[r, i] = 1
	}
	function circle(r, path,   at, n, i) {
		n = split(path " " r, at, " ")
		for (i = n - 1; at[i] != r; i--)
			;
		print "rooms.sh: rooms include each other in a circle:" >"/dev/stderr"
		for (; i < n; i++)
			print "  " label[at[i]] " includes " label[at[i + 1]] ": " by[at[i], at[i + 1]] >"/dev/stderr"
		failed = 1
		exit 1
	}
	function is_implied(a, b,   i) {
		for (i = 1; i <= count[a]; i++)
			if ((out[a, i], b) in reaches)
				return 1
		return 0
	}

	# Places are rooms, and one for each row that an arrow passes. A row is as high as its places.
	function add_place(row, wide) {
		width[++places] = wide
		row_of[places] = row
		order[row, ++in_row[row]] = places
		return places
	}
	function link(from, to) {
		tail[++links] = from
		head[links] = to
	}
	function add_arrow(a, b,   last, row, next_place) {
		last = place[a]
		for (row = top - height[a] + 1; row < top - height[b]; row++) {
			next_place = add_place(row, BEND)
			link(last, next_place)
			last = next_place
		}
		link(last, place[b])
	}
	function spread(row,   i, p, x) {
		x = 0
		for (i = 1; i <= in_row[row]; i++)
			x += width[order[row, i]] + GAP
		x = int((WIDE - x + GAP) / 2)
		for (i = 1; i <= in_row[row]; i++) {
			p = order[row, i]
			middle[p] = x + int(width[p] / 2)
			x += width[p] + GAP
		}
	}
	# Sorts a row by the mean of what its places are linked with above (down) or below.
	function sort_row(row, down,   i, k, p, sum, n) {
		for (i = 1; i <= in_row[row]; i++) {
			p = order[row, i]
			sum = n = 0
			for (k = 1; k <= links; k++)
				if ((down ? head[k] : tail[k]) == p) {
					sum += middle[down ? tail[k] : head[k]]
					n++
				}
			wish[p] = n ? sum / n : middle[p]
		}
		for (i = 2; i <= in_row[row]; i++)
			for (k = i; k > 1 && wish[order[row, k]] < wish[order[row, k - 1]]; k--) {
				p = order[row, k]
				order[row, k] = order[row, k - 1]
				order[row, k - 1] = p
			}
		spread(row)
	}
	function y_of(p) { return 20 + row_of[p] * STEP }
	function fill(name) {
		sub(/\/.*/, "", name)
		return name in colour ? colour[name] : "#eeeeee"
	}

	END {
		if (failed)
			exit 1
		BOX = 156; TALL = 34; BEND = 16; GAP = 26; STEP = 92; WIDE = 840
		colour["base"] = "#e0e0e0"; colour["model"] = "#d7e8d0"; colour["bench"] = "#f5dfc8"
		colour["calib"] = "#ead7ec"; colour["tools"] = "#d3e3f3"
		for (r = 1; r <= rooms; r++)
			visit(r, "")
		for (r = 1; r <= rooms; r++)
			place[r] = add_place(top - height[r], BOX)
		for (r = 1; r <= rooms; r++)
			for (i = 1; i <= count[r]; i++)
				if (!is_implied(r, out[r, i]))
					add_arrow(r, out[r, i])
		for (row = 0; row <= top; row++)
			spread(row)
		for (sweep = 0; sweep < 8; sweep++) {
			for (row = 1; row <= top; row++)
				sort_row(row, 1)
			for (row = top - 1; row >= 0; row--)
				sort_row(row, 0)
		}
		draw()
	}

	function draw(   k, r, x, y) {
		print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " WIDE " " (top * STEP + TALL + 40) \
			"\" font-family=\"sans-serif\" font-size=\"15\">"
		print "<!-- Drawn by docs/rooms.sh from the #includes; do not edit. -->"
		print "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\"" \
			" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>"
		print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
		for (k = 1; k <= links; k++)
			draw_link(tail[k], head[k])
		for (r = 1; r <= rooms; r++) {
			x = middle[place[r]]
			y = y_of(place[r])
			printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"#555\"/>\n",
				x - BOX / 2, y, BOX, TALL, fill(label[r])
			printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, y + 22, label[r]
		}
		print "</svg>"
	}
	# A bend is passed from its upper edge to its lower one, a box is left and reached at its edges.
	function draw_link(a, b,   x1, y1, x2, y2, half, end) {
		x1 = middle[a]; y1 = y_of(a) + TALL
		x2 = middle[b]; y2 = y_of(b)
		half = int((y2 - y1) / 2)
		end = b > rooms ? "v" TALL "\"" : "\" marker-end=\"url(#tip)\""
		printf "<path fill=\"none\" stroke=\"#555\" d=\"M%d %dC%d %d %d %d %d %d%s/>\n", x1, y1,
			x1, y1 + half, x2, y2 - half, x2, y2, end
	}'
