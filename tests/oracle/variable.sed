# variable.sed - what differs between two runs of one program: the record has a word in its place.
# oracle.sh puts SOURCE, BUILD and WORK in place of the folders before.
# SPDX-License-Identifier: Apache-2.0

# The moment, the revision of the program, the host's kernel.
s/20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-9:.]*Z/DATE/g
s/paleo [0-9]+\.[0-9]+\.[0-9]+ \([^ ()]*\)/paleo VERSION/g
s/"host": *"[^"]*"/"host":"HOST"/g

# How long measuring and searching have taken, what of it went where (--verbose), and on how many threads.
s/measured in [0-9.]+ (s|min)/measured in TIME/g
s/"wall_s":[-0-9.e+]+/"wall_s":TIME/g
s/"spent_s":\{[^}]*\}/"spent_s":TIMES/g
s/^wall time [0-9.]+ s/wall time TIME/
s/^ +-?[0-9.]+ s +-?[0-9.]+ %  /  TIME  /
s/^[0-9.]+ s \([0-9.]+ s of CPU\) on [0-9]+ threads?: [0-9.e+]+ points.s, from [0-9]+ /TIME, SPEED, from SOME /
