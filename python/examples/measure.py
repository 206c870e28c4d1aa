"""Measures NiN here, and prints the layers whose prediction errs most. Arguments: options of `paleo profile`."""
# SPDX-License-Identifier: Apache-2.0
import sys

import paleo

options = dict(word.split("=", 1) for word in sys.argv[1:])  # device=cpu time_budget=20s
profile = paleo.profile("nin", **options)
measured = [row for row in profile.rows if row["error"] is not None]
measured.sort(key=lambda row: abs(row["error"]), reverse=True)
for row in measured[:5]:
    print(
        f"{row['layer']:7} {row['kind']:9} {row['pass']:10}"
        f" predicted {1e6 * row['predicted_s']:8.1f} us, measured {1e6 * row['measured_s']:8.1f} us"
    )
print(profile)
