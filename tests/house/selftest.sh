#!/bin/sh
# selftest.sh COMPILER - shows that every house check passes a good tree and fails on each bad sample.
# SPDX-License-Identifier: Apache-2.0
set -eu

here=$(cd "$(dirname "$0")" && pwd)
compiler=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
wrong=0

# good makes a small tree in which there is nothing to find.
good() {
	rm -rf "${tree:?}/"*
	mkdir -p "$tree/base" "$tree/model" "$tree/bench/backends/cpu" "$tree/calib" "$tree/tools" "$tree/.ci"
	source_file base/a.h '#ifndef A_H' '#define A_H' 'int paleo_a(void);' '#endif'
	source_file model/m.c '#include <math.h>' '' '#include "base/a.h"'
	source_file bench/backends/cpu/c.c '#include <oneapi/dnnl/dnnl.h>' '#include "base/a.h"'
	source_file model/device/backends.def 'BACKEND(gpu, "|N", .batch_max = 4)' 'BACKEND(cpu, "|cpu")'
	source_file bench/transports.def 'TRANSPORT(mpi, "every process")'
	source_file bench/backends/cpu/d.c 'const char *d = "cpu";'
	source_file bench/transports/mpi.c 'const char *m = "mpi"; /* not "cpu" */'
	source_file tools/t.c '/* "gpu", or' ' * "mpi" */' 'const char *t = "cpu-i7";'
	source_file base/json.c '#include <cjson/cJSON.h>'
	source_file tests/unit/t.c 'const char *t = "../../base/a.h /proc/self/maps nets/x.json";'
	sed 's/](\([^)]*\))//g' "$here/../../README.md" >"$tree/README.md"
	mkdir -p "$tree/pages"
	# shellcheck disable=SC2016 # not expanded here
	printf '%s\n' '# A page' '[self](#a-page) [up](../README.md) [`code`](more.md#two-words)' \
		'```' '[in code](none.md)' '```' >"$tree/pages/page.md"
	# shellcheck disable=SC2016 # not expanded here
	printf '%s\n' '## Two `words`!' '[folder](../base) [far](https://example.org/none.md)' \
		>"$tree/pages/more.md"
	cp "$here/../../.ci/run" "$tree/.ci/run"
	printf '%s\n' '#!/bin/sh' 'echo good' >"$tree/good.sh"
	mkdir -p "$tree/docs/reference" "$tree/include" "$tree/library" "$tree/import" "$tree/web"
	sh "$here/../../docs/rooms.sh" "$tree" >"$tree/docs/reference/rooms.svg"
}

# source_file PATH LINE... writes a file with a proper head.
source_file() {
	to=$1
	shift
	mkdir -p "$(dirname "$tree/$to")"
	printf '%s\n' "/* ${to##*/} - a sample. */" '/* SPDX-License-Identifier: Apache-2.0 */' "$@" \
		>"$tree/$to"
}

# passes CHECK ARG... and fails CHECK WORD ARG...: WORD must be in what the check says.
passes() {
	check=$1
	shift
	said=$("$here/$check.sh" "$@" 2>&1) && return
	status=$?
	[ $status -eq 77 ] && return
	wrong=1
	printf 'selftest: %s fails on a good sample (%s):\n%s\n' "$check" "$status" "$said"
}

fails() {
	check=$1
	word=$2
	shift 2
	status=0
	said=$("$here/$check.sh" "$@" 2>&1) || status=$?
	[ $status -eq 77 ] && return
	case $status,$said in
	0,*) wrong=1 && printf 'selftest: %s does not see: %s\n' "$check" "$word" ;;
	*"$word"*) ;;
	*) wrong=1 && printf 'selftest: %s should say "%s", said:\n%s\n' "$check" "$word" "$said" ;;
	esac
}

# bad_tree CHECK WORD PATH LINE... puts one file into a good tree, and CHECK must fail on it.
bad_tree() {
	check=$1
	word=$2
	path=$3
	shift 3
	good
	source_file "$path" "$@"
	fails "$check" "$word" "$tree"
}

# bad_object CHECK WORD LINE... compiles the lines, and CHECK must fail on the object.
bad_object() {
	check=$1
	word=$2
	shift 2
	object "$@"
	fails symbols "$word" "$check" "$tree/o.o"
}

object() {
	printf '%s\n' "$@" >"$tree/o.c"
	"$compiler" -w -fPIC -c -o "$tree/o.o" "$tree/o.c"
}

good
for check in heads layers backends links outside paths readme rooms shell; do
	passes "$check" "$tree"
done
passes headers "$tree" "$compiler"

good
echo 'int x;' >"$tree/base/a.c"
fails heads 'base/a.c: first line' "$tree"
printf '/* a.c - what. */\nint x;\n' >"$tree/base/a.c"
fails heads 'SPDX' "$tree"
good
awk 'BEGIN { for (i = 0; i < 499; i++) print "int x;" }' >"$tree/long"
source_file base/long.c "$(cat "$tree/long")"
fails heads 'base/long.c: 501 lines' "$tree"

bad_tree layers 'base may include' base/b.c '#include "model/m.h"'
bad_tree layers 'bench may include' bench/b.c '#include "calib/fit.h"'
bad_tree layers 'library may include' library/b.c '#include "bench/measure.h"'
bad_tree layers 'include may include' include/paleo/b.h '#include "base/a.h"'
bad_tree layers 'calib may include' calib/b.c '#include "bench/measure.h"'
bad_tree layers 'these rooms only' model/net/b.c '#include "model/predict/p.h"'
bad_tree layers 'cli session print' tools/predict/b.c '#include "tools/profile/p.h"'
bad_tree layers 'these rooms only: session' tools/cli/b.c '#include "tools/print/p.h"'
bad_tree layers 'names its folder' model/b.c '#include "m.h"'
bad_tree layers 'names its folder' model/b.c '#include "../base/a.h"'
bad_tree layers 'vendor header' model/b.c '#include <cudnn.h>'
bad_tree layers 'vendor header' bench/b.c '#	include <oneapi/dnnl/dnnl.h>'
bad_tree layers 'vendor header' model/b.c '#include <cjson/cJSON.h>'
bad_tree layers 'included by nobody' bench/b.c '#include "bench/backends/cpu/c.h"'
bad_tree layers 'only bench, library and tools' model/b.c '#include "paleo_config.h"'

for sample in 'none.md:no committed file' '../base/none.md:no committed file' \
	'#none:no heading' 'more.md#none:no heading'; do
	good
	echo "[link](${sample%:*})" >>"$tree/pages/page.md"
	fails links "${sample#*:}" "$tree"
done
bad_tree links "base/b.c:3: $(printf docs)/none.md" base/b.c "/* see $(printf docs)/none.md */"
bad_tree links 'base/b.c:3: there is no none.h' base/b.c "int x; /* none.h */"
bad_tree links 'base/b.c:4: there is no base/none.c' base/b.c '/* a.h, model/m.c:' ' * base/none.c */'
good
# shellcheck disable=SC2016 # not expanded here
echo '`a.h` `base/` `base/NAME.c` `base/none/`' >>"$tree/pages/page.md"
fails links 'there is no base/none' "$tree"

for name in gpu cpu mpi; do
	bad_tree backends "names $name" tools/b.c "int b(void) { return !strcmp(n, \"$name\"); }"
done
bad_tree backends 'names cpu' bench/backends/gpu/b.c 'const char *b = "cpu"; /* c */'
bad_tree backends 'names gpu' calib/b.h '/* c' ' */ static const char *b = "gpu";'

bad_tree rooms 'out of date' calib/b.c '#include "model/m.h"'
good
source_file model/op/w.h '#include "model/net/n.h"'
source_file model/net/n.h '#include "model/op/w.h"'
fails rooms 'model/net includes model/op: model/net/n.h:3' "$tree"
good
rm "$tree/docs/reference/rooms.svg"
fails rooms 'out of date' "$tree"

# Put together here, so that this file does not name such a folder itself.
bad_tree paths 'base/b.c:3' base/b.c "/* see /$(printf home)/someone/x */"
for path in "$(printf ..)/data/x.csv" "$(printf ../..)/../base" "/$(printf data)/x.csv" "@SOURCE@/$(printf ..)"; do
	bad_tree outside 'tests/unit/b.c:3' tests/unit/b.c "const char *b = \"$path\";"
done

good
sed 's/ctest --preset test/ctest/' "$here/../../README.md" >"$tree/README.md"
fails readme 'must hold this line' "$tree"
good
printf '#!/bin/sh\necho make\n' >"$tree/.ci/run"
fails readme 'does not run' "$tree"
good
mkdir -p "$tree/include/paleo"
echo '#define PALEO_VERSION "1.2.3"' >"$tree/include/paleo/version.h"
fails version 'CHANGELOG.md: does not begin with 1.2.3' "$tree"

good
# shellcheck disable=SC2016 # not expanded here
printf '#!/bin/sh\necho $1\n' >"$tree/bad.sh"
fails shell 'SC2086' "$tree"
good
mkdir -p "$tree/tests/golden"
# shellcheck disable=SC2016 # not expanded here
printf 'Title\n  $ a=1\n  a $b\nText\n  > $c\n  $ f() {\n  > \techo $d\n  > }\n' >"$tree/tests/golden/a.t"
fails shell 'tests/golden/a.t:2:1: warning: a appears unused' "$tree"
fails shell 'tests/golden/a.t:7:7: warning: d is referenced but not assigned' "$tree"

good
source_file model/b.h 'struct paleo_b { size_t n; };'
fails headers 'model/b.h: does not compile alone' "$tree" "$compiler"
good
source_file model/b.h 'enum paleo_b { PALEO_B };'
fails headers 'model/b.h: does not compile alone' "$tree" "$compiler"

good
object 'static const char *const t[] = {"a", "b"};' 'const char *paleo_t(int i) { return t[i]; }' \
	'int other(void);' 'int paleo_m(void) { return other(); }'
for check in exported quiet raw globals; do
	passes symbols "$check" "$tree/o.o"
	fails symbols 'cannot be read' "$check" "$tree/none.a"
	fails symbols 'nothing to check' "$check"
done
bad_object exported '"other"' 'int other(void) { return 0; }'
bad_object quiet '"stderr"' '#include <stdio.h>' 'void paleo_x(void) { fputs("x", stderr); }'
bad_object quiet '"exit"' '#include <stdlib.h>' 'void paleo_x(void) { exit(1); }'
bad_object quiet '"printf"' '#include <stdio.h>' 'void paleo_x(void) { printf("%d", 1); }'
bad_object raw '"printf"' '#include <stdio.h>' 'void paleo_x(void) { printf("%d", 1); }'
bad_object raw '"fopen"' '#include <stdio.h>' 'void *paleo_x(void) { return fopen("a", "w"); }'
bad_object globals '"counter"' 'static int counter;' 'int paleo_x(void) { return ++counter; }'
bad_object globals '"limit"' 'int limit = 3;'
bad_object globals '"names"' 'const char *names[] = {"a"};'
bad_object globals '"common"' 'int common __attribute__((common));'

# A test that is skipped and does not say why is seen.
printf '%s\n' '1:a.b' '2:c.d' >"$tree/LastTestsDisabled.log"
printf '%s\n' '1/2 Testing: a.b' 'skipped: there is no GPU' '2/2 Testing: c.d' 'skipped: x: y' \
	>"$tree/LastTest.log.tmp"
passes skipped "$tree"
[ "$said" = "$(printf 'Skipped:\n  a.b: there is no GPU\n  c.d: x: y')" ] || {
	wrong=1
	printf 'selftest: skipped said:\n%s\n' "$said"
}
printf '%s\n' '1/2 Testing: a.b' 'skipped: there is no GPU' '2/2 Testing: c.d' >"$tree/LastTest.log.tmp"
fails skipped 'c.d: it does not say why' "$tree"

object 'static int counter;' 'int paleo_x(void) { return ++counter; }'
HOUSE_ALLOW=counter passes symbols globals "$tree/o.o"

printf '%s\n' 'int paleo_x(void) { return 1; }' >"$tree/o.c"
# public_library LINE... makes a library that is held to a header that declares paleo_x alone.
public_library() {
	printf '%s\n' "$@" >"$tree/o.c"
	"$compiler" -w -fPIC -shared -o "$tree/o.so" "$tree/o.c"
	mkdir -p "$tree/include"
	printf '%s\n' 'PALEO_API const char *' 'paleo_x(void);' >"$tree/include/x.h"
}
public_library 'const char *paleo_x(void) { return "x"; }'
passes public "$tree/include" "$tree/o.so"
public_library 'const char *paleo_x(void) { return "x"; }' 'int paleo_y(void) { return 1; }'
fails public "exports 'paleo_y'" "$tree/include" "$tree/o.so"
public_library 'static const char *paleo_x(void) { return "x"; }' 'int other(void) { return 1; }'
fails public "exports 'other'" "$tree/include" "$tree/o.so"
fails public "does not export 'paleo_x'" "$tree/include" "$tree/o.so"

"$compiler" -w -fPIC -shared -fno-stack-protector -U_FORTIFY_SOURCE -Wl,-z,norelro -Wl,-z,lazy \
	-o "$tree/o.so" "$tree/o.c"
fails hardening 'o.so: has no RELRO' 1 0 "$tree/o.so"
fails hardening 'o.so: does not bind at its start' 1 0 "$tree/o.so"
fails hardening 'o.so: has no stack protector' 1 0 "$tree/o.so"
fails hardening 'o.so: has no checks of sizes' 1 0 "$tree/o.so"
fails hardening 'nothing to check' 1 0

[ $wrong -eq 0 ] && echo "selftest: every check passes the good samples and fails on the bad ones"
exit $wrong
