#!/bin/sh
# selftest.sh WORK - shows that run.sh passes, fails, skips and updates where it should.
# SPDX-License-Identifier: Apache-2.0
set -u

here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1/source"
cd "$1" || exit
folder=$PWD
wrong=0

fault() {
	echo "$what: $*"
	cat said
	wrong=$((wrong + 1))
}

# golden WHAT STATUS - runs the file on standard input.
golden() {
	what=$1
	cat >given
	cp given case.t
	code=0
	sh "$here/run.sh" "$folder/case.t" "$folder/source" "$folder/source/build" "$folder/work" >said 2>&1 || code=$?
	[ $code = "$2" ] || fault "ended with $code, not $2"
}

# says TEXT - whether the last run printed that.
says() {
	grep -qxF -e "$1" said || fault "did not say '$1'"
}

# holds - whether the last file is that on standard input by now.
holds() {
	diff -u - case.t >>said || fault "holds something else"
}

golden "equal" 0 <<'END'
Title

  $ echo one
  one
END
golden "other stdout" 1 <<'END'
Title

  $ echo one
  two
END
says "-  two"
says "+  one"
golden "stdout where none is expected" 1 <<'END'
Title
  $ echo one
END
golden "stdout that is not printed" 1 <<'END'
Title
  $ true
  one
END
golden "an empty line more" 1 <<'END'
Title
  $ printf 'one\ntwo\n'
  one

  two
END
golden "an empty line less" 1 <<'END'
Title
  $ printf 'one\n\ntwo\n'
  one
  two
END
golden "other stderr" 1 <<'END'
Title
  $ echo one >&2
  2> two
END
golden "stderr is not stdout" 1 <<'END'
Title
  $ echo one >&2
  one
END
golden "status not 0" 1 <<'END'
Title
  $ (exit 3)
END
says "+  [3]"
golden "other status" 1 <<'END'
Title
  $ (exit 3)
  [2]
END
golden "no end of the last line" 1 <<'END'
Title
  $ printf one
  one
END
says "+  one (no-eol)"
golden "a space at the end" 1 <<'END'
Title
  $ echo 'one '
  one
END
golden "the shell ends with the last command" 0 <<'END'
Title
  $ exit 3
  [3]
END
golden "the shell is killed" 0 <<'END'
Title
  $ kill -9 $$
  [137]
END
golden "the shell ends before" 1 <<'END'
Title
  $ exit 3
  [3]
  $ true
END
golden "a variable that is not set" 1 <<'END'
Title
  $ echo $unset
  $ true
END
golden "what one command sets is there in the next" 0 <<'END'
Title
  $ a=1; f() {
  > 	echo "$a $1"
  > }
  $ f 2
  1 2
  $ mkdir folder
  $ cd folder
  $ pwd
  $work/folder
END
golden "the folders" 0 <<'END'
Title
  $ echo $source $build $here $work; pwd
  $source $build $here $work
  $work
END
golden "the environment" 0 <<'END'
Title
  $ echo "$LC_ALL ${PALEO_UPDATE_GOLDEN-none}"; echo "$PATH" | cut -d: -f1
  C none
  $build/bin
END

golden "skipped" 0 <<'END'
Title
  $ skip no one
  two
END
says "skipped: no one"
golden "no title" 1 <<'END'
  $ true
END
golden "no command" 1 <<'END'
Title
END

export PALEO_UPDATE_GOLDEN=1
golden "update" 0 <<'END'
Title
  indented text

  $ echo one; echo two >&2; (exit 3)
  old

  old
Text stays.
  And this.

  $ true
  2> old
  [4]

  $ printf 'a\n\nb'
END
holds <<'END'
Title
  indented text

  $ echo one; echo two >&2; (exit 3)
  one
  2> two
  [3]
Text stays.
  And this.

  $ true

  $ printf 'a\n\nb'
  a

  b (no-eol)
END
golden "all bytes" 0 <<'END'
Title
  $ printf '$ a\n> b\n2> c\n[4]\n \n \t\n\td\\e\tf\na;b [c] \\ "\n'
  $ printf '\033[1m\\\t\r\n\303\251\n\303\n\0\177x\nx (esc)\nx (no-eol)\n'
  $ printf '\n \n' >&2
  $ printf '\n\n'
END
holds <<'END'
Title
  $ printf '$ a\n> b\n2> c\n[4]\n \n \t\n\td\\e\tf\na;b [c] \\ "\n'
  \x24 a (esc)
  \x3e b (esc)
  \x32> c (esc)
  \x5b4] (esc)
  \x20 (esc)
   \x09 (esc)
  	d\e	f
  a;b [c] \ "
  $ printf '\033[1m\\\t\r\n\303\251\n\303\n\0\177x\nx (esc)\nx (no-eol)\n'
  \x1b[1m\\	\x0d (esc)
  é
  \xc3 (esc)
  \x00\x7fx (esc)
  x (esc\x29 (esc)
  x (no-eol\x29 (esc)
  $ printf '\n \n' >&2
  2>
  2> \x20 (esc)
  $ printf '\n\n'

   (esc)
END
golden "no update of what did not run" 1 <<'END'
Title
  $ exit
  $ echo one
END
holds <given
unset PALEO_UPDATE_GOLDEN
golden "updated" 0 <<'END'
Title
  $ printf ' \n\n'
  \x20 (esc)
   (esc)
END
[ $wrong = 0 ]
