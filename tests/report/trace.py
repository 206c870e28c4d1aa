"""trace.py ROOT BUILD - timelines follow the trace event format, and add up to what is printed."""
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
NET = ROOT + "/tests/golden/small.json"


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


class Process:
    """One process of a trace: its name, and its tracks by their names."""

    def __init__(self):
        self.name = None
        self.names = {}
        self.events = collections.defaultdict(list)

    def track(self, name):
        number = [n for n, called in self.names.items() if called == name]
        assert len(number) == 1, (name, self.names)
        return self.events[number[0]]


def read(path):
    """The processes of a trace, each event held to the format's rules."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    assert trace["displayTimeUnit"] == "ms"
    processes = collections.defaultdict(Process)
    for e in trace["traceEvents"]:
        assert isinstance(e["pid"], int) and isinstance(e["tid"], int), e
        assert isinstance(e["name"], str) and e["name"], e
        assert isinstance(e["ts"], (int, float)) and e["ts"] >= 0, e
        process = processes[e["pid"]]
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name"), e
            if e["name"] == "process_name":
                assert process.name is None, "a process has one name"
                process.name = e["args"]["name"]
            else:
                assert e["tid"] not in process.names, "a track has one name"
                process.names[e["tid"]] = e["args"]["name"]
            continue
        assert e["ph"] == "X", e
        assert isinstance(e["dur"], (int, float)) and e["dur"] >= 0, e
        assert e["cat"] and isinstance(e["args"], dict), e
        process.events[e["tid"]].append(e)
    for process in processes.values():
        assert process.name and set(process.events) <= set(process.names)
        for events in process.events.values():
            end = 0
            for e in events:
                # written in time's order; a nanosecond is what a viewer tells apart
                assert e["ts"] >= end - 1e-6, ("overlap", e, end)
                end = e["ts"] + e["dur"]
    return list(processes.values())


def ms(events, *passes):
    return sum(e["dur"] for e in events if not passes or e["cat"] in passes) / 1e3


def end_ms(process):
    return max(e["ts"] + e["dur"] for events in process.events.values() for e in events) / 1e3


def near(found, expected, tolerance, what):
    assert abs(found - expected) <= tolerance, (what, found, expected)


def printed(text, title, word):
    """The milliseconds behind a word in the line of a sum."""
    line = [l for l in text.splitlines() if l.startswith("  " + title + "  ")]
    assert line, (title, text)
    return float(re.search(word + r" +([0-9.]+) ms", line[0]).group(1))


# Three digits behind the point are printed, or three that count.
HALF = 0.0005
PASSES = {"forward": ["fwd"], "backward": ["bwd_data", "bwd_filter"], "update": ["update"]}


def check_sums(text, events, word):
    for title, passes in PASSES.items():
        near(ms(events, *passes), printed(text, title, word), HALF, title)
    near(ms(events), printed(text, "training step", word), HALF, "step")


def check_predicted():
    text = run("paleo", "predict", "--device", "h100-sxm", "--trace", "p.json", "resnet50").stdout
    (process,) = read("p.json")
    assert process.name.startswith("ResNet-50, batch "), process.name
    events = process.track("predicted")
    check_sums(text, events, "predicted")
    rows = run("paleo", "predict", "--device", "h100-sxm", "--format", "jsonl", "resnet50").stdout
    assert len(events) == len(rows.splitlines())
    # forward in the layers' order, backward from the end, updates last
    cats = [e["cat"] for e in events]
    assert cats == sorted(cats, key=lambda c: ["fwd", "bwd", "upd"].index(c[:3])), cats
    forward = [e["args"]["layer"] for e in events if e["cat"] == "fwd"]
    backward = [e["args"]["layer"] for e in events if e["cat"].startswith("bwd")]
    places = [forward.index(layer) for layer in backward]
    assert forward[0] == "conv1" and places == sorted(places, reverse=True), places


def check_measured():
    text = run("paleo", "profile", "--device", "fake", "--mode", "cold,hot", "--output", "r.jsonl",
               "--trace", "m.json", NET).stdout
    (process,) = read("m.json")
    assert list(process.names.values()) == ["predicted", "measured, cold", "measured, hot"]
    check_sums(text, process.track("measured, cold"), "measured")
    check_sums(text, process.track("predicted"), "predicted")


def check_simulated():
    command = ["paleo", "simulate", "--device", "h100-sxm", "--network", "infiniband-ndr",
               "--host-link", "nvlink4", "--workers-per-host", "4", "--num-workers", "1,4,16"]
    for extra in ([], ["--overlap"], ["--recompute"], ["--overlap", "--recompute"]):
        words = command + extra + ["--parallel", "data,tensor,zero1,zero2,zero3,model",
                                   "alex_v2_4gpu"]
        rows = [json.loads(l) for l in run(*words, "--format", "jsonl").stdout.splitlines()]
        run(*words, "--trace", "s.json")
        processes = read("s.json")
        assert len(processes) == len(rows) and len(rows) > 10
        for process, row in zip(processes, rows):
            workers = min(row["workers"], 8)
            names = [f"worker {w}: {t}" for w in range(workers)
                     for t in ("compute", "communication")]
            assert list(process.names.values()) == names, process.name
            near(end_ms(process), 1e3 * row["step_s"], 1e-5, process.name)
            if row["parallel"] == "model":
                continue  # its workers differ, and its passes hold what they wait for
            for w in range(workers):
                compute = process.track(f"worker {w}: compute")
                near(ms(compute, "forward"), 1e3 * row["forward_s"], 1e-5, process.name)
                near(ms(compute, "backward", "again forward"), 1e3 * row["backward_s"], 1e-5,
                     process.name)
                near(ms(compute, "update"), 1e3 * row["update_s"], 1e-5, process.name)
                near(ms(process.track(f"worker {w}: communication")), 1e3 * row["comm_s"], 1e-5,
                     process.name)
    refused = run(*command, "--parallel", "pipeline", "--trace", "t.json", "alex_v2_4gpu", status=1)
    assert "pipeline" in refused.stderr and not os.path.exists("t.json")


def check_files():
    with open("mine.json", "w") as file:
        file.write('{"mine": 1}\n')
    for command in (["predict", "--device", "h100-sxm", NET],
                    ["profile", "--device", "fake", "--output", "none.jsonl", NET],
                    ["simulate", "--device", "h100-sxm", "vgg16"]):
        refused = run("paleo", *command, "--trace", "mine.json", status=2)
        assert "mine.json" in refused.stderr and "trace" in refused.stderr, refused.stderr
        assert open("mine.json").read() == '{"mine": 1}\n'
        assert not os.path.exists("none.jsonl"), "refused before anything is measured"
    run("paleo", "predict", "--device", "h100-sxm", "--trace", "mine.json", "--force", NET)
    run("paleo", "predict", "--device", "h100-sxm", "--trace", "mine.json", NET)
    read("mine.json")
    with open("hostile.json", "w") as file:
        text = open(NET).read()
        file.write(text.replace('"conv1"', r'"<script>\u0007\"]}"'))
    run("paleo", "predict", "--device", "h100-sxm", "--trace", "h.json", "hostile.json")
    (process,) = read("h.json")
    assert process.track("predicted")[0]["args"]["layer"] == '<script>\a"]}'


check_predicted()
check_measured()
check_simulated()
check_files()
print("trace: events, sums, workers and files are right")
