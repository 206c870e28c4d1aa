The command lines that --help, the README and docs/ show have options that there are.

Lines of shell in a page, with those that go on in the next one joined.

  $ shell_of() {
  > 	awk '/^ *```/ { inside = /```sh/; next } inside' "$1" | sed -e ':next' -e '/\\$/N' -e 's/\\\n/ /' -e 't next'
  > }

Every command line once, without comments, other programs and what becomes of its output. At the end
of the options stands --help, which ends it before anything is read.

  $ for command in $(paleo --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
  > 	paleo "$command" --help | sed '1,/^examples:/d; s/^  //' >of-help
  > 	[ -s of-help ] || echo "no examples of $command"
  > 	cat of-help
  > done >lines
  $ for page in "$source"/README.md "$source"/docs/*.md "$source"/docs/*/*.md "$source"/results/README.md; do
  > 	shell_of "$page"
  > done >>lines
  $ sed -n -e 's/ *#.*//; s/ >.*//; s/^ *//; s/^mpirun -np [0-9]* //; s|^build/bin/||' \
  > 	-e '/^paleo[- ]/p' lines | sort -u >commands
  $ export device=t4 type=f32 batch=4 net=vgg16 R=folder
  $ while read -r line; do
  > 	(set -f && eval "$line --help") >said 2>&1 || {
  > 		echo "$line"
  > 		cat said
  > 	}
  > done <commands
  $ [ "$(wc -l <commands)" -gt 60 ] || wc -l commands
