#!/bin/sh
# version.sh ROOT - all files that name the version of paleo name that of version.h, and the changelog begins with it.
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/house/lib.sh
. "$(dirname "$0")/lib.sh"

found=$(
	cd "$1"
	version=$(sed -n 's/^#define PALEO_VERSION "\([0-9.]*\)".*/\1/p' include/paleo/version.h)
	while read -r file text; do
		grep -qF -- "$text" "$file" || echo "$file: does not hold '$text', expected the version of version.h"
	done <<-END
		include/paleo/version.h MINOR $(echo "$version" | cut -d. -f2)
		python/pyproject.toml version = "$version"
		python/paleo/_library.py HEADERS = "${version%.*}"
		packaging/conda-forge/recipe.yaml version: "$version"
		packaging/spack/packages/paleo/package.py version("$version")
		packaging/README.md paleo@$version
		docs/guide/install.md paleo-$version-
		docs/guide/library.md find_package(paleo ${version%.*} REQUIRED
		docs/example/CMakeLists.txt find_package(paleo ${version%.*} REQUIRED
	END
	[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" = "$version" ] ||
		echo "CHANGELOG.md: does not begin with $version, expected what is new in the version of version.h"
)
house_verdict version "$found" 10
