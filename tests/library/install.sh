#!/bin/sh
# install.sh SOURCE BUILD WORK COMPILER [FLAG...] - others can build with an installed libpaleo.
# SPDX-License-Identifier: Apache-2.0
#
# Installs into WORK, moves what was installed, and builds docs/example/predict.c with pkg-config
# and with find_package(). Both must say what the program says. Exit 77: there is no pkg-config.
set -eu

source=$1 build=$2 work=$3 compiler=$4
shift 4
command -v pkg-config >/dev/null || {
	echo "skipped: there is no pkg-config"
	exit 77
}
rm -rf "$work"
mkdir -p "$work"
# From here on the build folder and the sources' nets must not be found.
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
cd "$work"

pc=$(find "$work/prefix" -name paleo.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libraries=$(dirname "$PKG_CONFIG_PATH")
version=$(sed -n 's/^#define PALEO_VERSION "\([0-9.]*\)".*/\1/p' "$source/include/paleo/version.h")
[ "$(pkg-config --modversion paleo)" = "$version" ] || {
	echo "install: paleo.pc is not of version $version"
	exit 1
}
# shellcheck disable=SC2046 # a list of words
"$compiler" "$@" -std=c11 -Wall -Wextra -Wpedantic -Werror -o by_pkg_config \
	"$source/docs/example/predict.c" $(pkg-config --cflags --libs paleo) \
	-Wl,-rpath,"$libraries"

cmake -S "$source/docs/example" -B by_cmake -DCMAKE_PREFIX_PATH="$work/prefix" \
	-DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$*" >cmake.log
cmake --build by_cmake >>cmake.log

# The example's line, made of the program's: the 90 % interval of the training step.
"$work/prefix/bin/paleo" predict vgg16 --device t4 >text
expected=$(awk '/training step/ { sub(/.*90 %: /, ""); print }' text)
for program in ./by_pkg_config by_cmake/predict; do
	said=$("$program" vgg16 t4)
	case $said in
	*"90 %: $expected") ;;
	*)
		printf 'install: %s said "%s", the program: "%s"\n' "$program" "$said" "$expected"
		exit 1
		;;
	esac
done

# Data elsewhere.
mv "$work/prefix/share/paleo" "$work/elsewhere"
! ./by_pkg_config vgg16 t4 2>/dev/null || {
	echo "install: finds nets that are not there"
	exit 1
}
PALEO_DATA_DIR="$work/elsewhere" ./by_pkg_config vgg16 t4 >moved
grep -qF "90 %: $expected" moved

if command -v g++ >/dev/null; then
	printf '%s\n' '#include <paleo/paleo.h>' '#include <cstdio>' \
		'int main() { return std::puts(paleo_version()) < 0; }' >version.cpp
	# shellcheck disable=SC2046 # a list of words
	g++ "$@" -std=c++11 -Wall -Wextra -Wpedantic -Werror -o version version.cpp \
		$(pkg-config --cflags --libs paleo) -Wl,-rpath,"$libraries"
	[ "$(./version)" = "$version" ]
else
	echo "install: g++ is not installed: the headers were not read as C++"
fi
rm -rf "$work/prefix" "$work/elsewhere"
echo "install: built with pkg-config and with find_package, says what the program says"
