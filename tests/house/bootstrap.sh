#!/bin/sh
# bootstrap.sh ROOT - what bootstrap.sh says and does, with stand-ins for apt-get, dpkg-query and cmake.
# SPDX-License-Identifier: Apache-2.0
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/root"
cp "$1/bootstrap.sh" "$work/root"
wrong=0

# stand_in NAME LINE... makes a program of that name, which writes down how it was called.
stand_in() {
	name=$1
	shift
	# shellcheck disable=SC2016 # not expanded here
	printf '%s\n' '#!/bin/sh' 'echo "${0##*/} $*" >>"$CALLS"' "$@" >"$work/bin/$name"
	chmod +x "$work/bin/$name"
}

# run EXPECTED_STATUS runs it as root would.
run() {
	: >"$work/calls"
	status=0
	said=$(CALLS=$work/calls BOOTSTRAP_WAIT=0 PATH="$work/bin:$PATH" "$work/root/bootstrap.sh" 2>&1) ||
		status=$?
	[ "$status" -eq "$1" ] || complain "ended with $status, expected $1"
}

complain() {
	wrong=1
	printf 'bootstrap: %s; it said:\n%s\n' "$1" "$said"
}

says() {
	case $said in *"$1"*) ;; *) complain "does not say '$1'" ;; esac
}

calls() {
	grep -qF -- "$1" "$work/calls" || complain "does not call '$1'"
}

stand_in id 'echo 0'
stand_in dpkg-query 'echo installed'
stand_in apt-get 'exit 0'
stand_in cmake 'echo "-- Performing Test X - Failed"' 'echo "-- CPU plug-in: oneDNN 9"'

run 0
says 'nothing to install'
says 'CPU plug-in: oneDNN 9'
calls '--build --preset release --target programs'
case $said in *[Ff]ailed*) complain 'shows a failed probe' ;; esac
case $(printf '%s\n' "$said" | tail -n 1) in
*'build/bin/paleo-profile nets/vgg16.json'*'ctest --preset test'*) ;;
*) complain 'does not end with what to do next' ;;
esac

# Each lock of apt is held at first, twice: lists, then packages.
stand_in dpkg-query 'exit 1'
# shellcheck disable=SC2016 # not expanded here
stand_in apt-get 'echo >>"$CALLS.$2"' '[ "$(wc -l <"$CALLS.$2")" -gt 2 ] && exit 0' \
	'echo "E: Could not get lock /var/lib/x. It is held by process 12 (unattended-upgr)"' 'exit 100'
run 0
says 'apt is in use by process 12 (unattended-upgr); waiting for it'
calls 'apt-get -q install -y --no-install-recommends libc6-dev'
[ "$(grep -c 'apt-get -q update' "$work/calls")" -eq 3 ] || complain 'does not read the lists again'
[ "$(grep -c 'apt-get -q install' "$work/calls")" -eq 3 ] || complain 'does not install again'
[ "$(printf '%s\n' "$said" | grep -c 'waiting for it')" -eq 2 ] || complain 'says more than once that it waits'

# shellcheck disable=SC2016 # not expanded here
stand_in apt-get '[ "$2" = update ] || { echo "E: Unable to locate package uthash-dev"; exit 100; }'
run 1
says 'Unable to locate package uthash-dev'
says 'apt-get could not install them'

stand_in dpkg-query 'echo installed'
# shellcheck disable=SC2016 # not expanded here
stand_in cmake '[ "$1" = --preset ] || { echo "a.c:1: error: broken"; exit 2; }'
run 1
says 'a.c:1: error: broken'
says 'the build ended with an error; all that was printed is in build/bootstrap.log'

[ $wrong -eq 0 ] && echo 'bootstrap: waits, shows no probe, and ends with what to do next'
exit $wrong
