"""What the program measures: `paleo profile`, read from its jsonl."""
# SPDX-License-Identifier: Apache-2.0
import json
import numbers
import os
import shutil
import subprocess

from paleo._library import PaleoError, named
from paleo.rows import Rows

ROWS_FAILED, BUDGET_SPENT, UNMEASURED = 1, 5, 7  # exit codes with which there is a table all the same


class Profile:
    """Measured beside predicted: `rows` as of --format jsonl, `notes` as the program told them.

    `complete` is False where rows failed, the time budget left some without a time, or less than half
    of the predicted time was measured.
    """

    def __init__(self, rows, notes, complete):
        self.rows, self.notes, self.complete = rows, notes, complete

    def frame(self):
        """The rows as a pandas.DataFrame."""
        return self.rows.frame()

    def __repr__(self):
        measured = sum(row["measured_s"] is not None for row in self.rows)
        return f"<paleo.Profile: {measured} of {len(self.rows)} rows measured>"


def profile(*nets, program=None, folder=None, **options):
    """Measures nets by `paleo profile`, with its options: time_budget="20s" is --time-budget 20s.

    `program` is the path of paleo (default: that in PATH). Records go to paleo-results/ in `folder`
    (default: the current one).
    """
    program = program or shutil.which("paleo")
    if not program:
        raise PaleoError("the program paleo was not found: put its folder into PATH")
    words = [os.fspath(program), "profile", "--format", "jsonl"]
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.rstrip("_").replace("_", "-"))
        if value is not True:
            words.append(str(value) if isinstance(value, numbers.Number) else named(value))
    words += ["--", *map(named, nets)]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=False)
    if ended.returncode not in (0, ROWS_FAILED, BUDGET_SPENT, UNMEASURED) or not ended.stdout:
        said = ended.stderr.strip().splitlines()
        raise PaleoError(said[-1] if said else f"it ended with {ended.returncode}", ended.returncode)
    rows = Rows(json.loads(line) for line in ended.stdout.splitlines())
    return Profile(rows, ended.stderr, ended.returncode == 0)
