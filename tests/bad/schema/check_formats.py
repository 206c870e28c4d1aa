"""check_formats.py - docs/schema accepts files that are shipped or just written, and refuses broken ones."""
# SPDX-License-Identifier: Apache-2.0
# Usage: check_formats.py SOURCE BUILD WORK. Exit 77: the jsonschema package is missing or too old.

import copy
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
try:
    from jsonschema import Draft202012Validator, RefResolver
except ImportError:
    print("skipped: python3-jsonschema 4 is not here")
    sys.exit(77)

# Faults that a schema cannot see: the order of values, names that are the program's own, two things
# that must agree.
BEYOND = {
    "calibrations": """
    bands_crossed bands_order class_of_nothing class_unknown correlated_unknown factor_twice hash_order
    kernel_model_unknown parameter_beyond parameter_choice parameter_missing parameter_twice
    parameter_unknown ratio_crossed set_item_unknown sets_missing tree_deep tree_text
    """.split(),
    "devices": "key_twice name_twice".split(),
}


class Schema:
    def __init__(self, source, name):
        folder = source / "docs/schema"
        text = json.loads((folder / f"{name}.json").read_text())
        Draft202012Validator.check_schema(text)
        self.version = text["$id"]
        # what it refers to lies beside it, whatever its $id says
        self.validator = Draft202012Validator(
            {key: value for key, value in text.items() if key != "$id"},
            resolver=RefResolver(folder.as_uri() + f"/{name}.json", text),
        )

    def faults(self, value, where):
        return [
            f"{where}: refused: {'/'.join(map(str, error.absolute_path))}: {error.message[:160]}"
            for error in self.validator.iter_errors(value)
        ]


def lines_of(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return [json.loads(line) for line in file]


def check_lines(schema, paths, step):
    """Every `step`-th record of each file, and all other lines with as many rows; many are alike."""
    faults, seen = [], {}
    for path in paths:
        for i, line in enumerate(lines_of(path)):
            kind = line.get("type")
            seen[kind] = seen.get(kind, 0) + 1
            if "rows" in line:
                line["rows"] = line["rows"][::step]
            if kind != "record" or i % step == 0:
                faults += schema.faults(line, f"{path.name}:{i + 1}")
    return faults, seen


def write_new(build, work):
    """Files as this program writes them: records, whole passes, ceilings, a calibration."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for command in (
        "profile --device fake --batch 2 --output net.jsonl nin",
        "fullpass --device fake --batch 2 --output passes.jsonl nin",
        "check --device fake,fake1 --output checks.jsonl",
        "calibrate --from net.jsonl --output calibration.json",
    ):
        subprocess.run(
            [str(build / "bin/paleo"), *command.split()],
            cwd=work,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    return sorted(work.rglob("*.jsonl")), sorted(work.rglob("*.json"))


def broken_lines(lines):
    """(what, line): one fault each, put into a good line."""
    meta, record, net = (next(x for x in lines if x["type"] == t) for t in ("meta", "record", "net"))

    def changed(line, *path, to):
        line = copy.deepcopy(line)
        inner = line
        for key in path[:-1]:
            inner = inner[key]
        if to is None:
            del inner[path[-1]]
        else:
            inner[path[-1]] = to
        return line

    yield "no type", changed(record, "type", to=None)
    yield "unknown type", changed(record, "type", to="recrod")
    yield "version of later", changed(meta, "schema", to="paleo-records/5")
    yield "version of before", changed(meta, "schema", to="paleo-records/3")
    yield "another format", changed(meta, "schema", to="paleo-calibration/4")
    yield "device without peaks", changed(meta, "device", "flop_per_s", to={})
    yield "threads as text", changed(meta, "threads", to="2")
    yield "unknown status", changed(record, "status", to="good")
    yield "ok without a time", changed(record, "timing", to=None)
    yield "no median", changed(record, "timing", "median_s", to=None)
    yield "time below 0", changed(record, "timing", "median_s", to=-1.0)
    yield "misspelt key", changed(record, "timing", "medain_s", to=1.0)
    yield "half a sample", changed(record, "timing", "samples", to=2.5)
    yield "a time of no sample", changed(record, "timing", "samples", to=0)
    yield "op without pass", changed(record, "op", to="conv f32 n=2")
    yield "op of no number type", changed(record, "op", to="conv fwd fp32 n=2")
    yield "batch of 0", changed(net, "batch", to=0)
    yield "row without layer", changed(net, "rows", 0, "layer", to=None)


def check_bad(build, folder, schema):
    faults, refused = [], 0
    for path in sorted((build / "tests/bad" / folder).glob("*.json")):
        try:
            value = json.loads(path.read_text(), parse_constant=lambda word: 1 / 0)
        except (ValueError, ZeroDivisionError):
            continue  # no JSON at all
        accepted = schema.validator.is_valid(value)
        refused += not accepted
        if accepted != (path.stem in BEYOND[folder]):
            verdict = "accepted" if accepted else "refused"
            faults.append(f"tests/bad/{folder}.txt: {path.name}: {verdict}, against what is listed here")
    if refused < 10:
        faults.append(f"tests/bad/{folder}.txt: only {refused} refused")
    return faults, refused


def main(source, build, work):
    schemas = {name: Schema(source, name) for name in ("records", "calibrations", "devices")}
    records, calibrations = write_new(build, work)

    shipped = sorted((source / "tests/data/cpu").rglob("*.jsonl.gz"))
    faults, seen = check_lines(schemas["records"], shipped, 100)
    more, new = check_lines(schemas["records"], records, 4)
    faults += more
    for kind in ("meta", "record", "net", "end"):
        if not seen.get(kind) or not new.get(kind):
            faults.append(f"no line of type {kind} was seen")
    for kind in ("graph_run", "ceiling"):
        if not new.get(kind):
            faults.append(f"no new line of type {kind} was seen")
    good = [line for path in records for line in lines_of(path)]
    broken = list(broken_lines(good))
    faults += [f"a line with {what} is accepted" for what, line in broken
               if schemas["records"].validator.is_valid(line)]

    paths = [path for path in sorted((source / "results").rglob("*.json")) + calibrations
             if b'"paleo-calibration/' in path.read_bytes()]
    if not calibrations or len(paths) < 15:
        faults.append(f"only {len(paths)} calibrations")
    for path in paths:
        faults += schemas["calibrations"].faults(json.loads(path.read_text()), path)
    versions = {json.loads(path.read_text())["schema"] for path in calibrations}
    if versions != {schemas["calibrations"].version}:
        faults.append(f"the schema is of {schemas['calibrations'].version}, new files of {versions}")
    if good[0]["schema"] != schemas["records"].version:
        faults.append(f"the schema is of {schemas['records'].version}, new files of {good[0]['schema']}")

    page = (source / "docs/guide/predict.md").read_text()
    example = re.search(r"```json\n(.*?)```", page, re.S).group(1)
    faults += schemas["devices"].faults(json.loads(example), "docs/guide/predict.md")

    counts = []
    for folder in BEYOND:
        more, refused = check_bad(build, folder, schemas[folder])
        faults += more
        counts.append(f"{refused} broken {folder}")
    print("\n".join(faults[:40]) or f"{sum(seen.values()) + sum(new.values())} lines and {len(paths)} calibrations "
          f"accepted; {len(broken)} broken lines, {', '.join(counts)} refused")
    return 1 if faults else 0


os.environ.pop("PALEO_UPDATE_GOLDEN", None)
sys.exit(main(*(pathlib.Path(word).resolve() for word in sys.argv[1:4])))
