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
    """The milliseconds behind a word in the line of a sum, printed in a unit that fits."""
    line = [l for l in text.splitlines() if l.startswith("  " + title + "  ")]
    assert line, (title, text)
    number, unit = re.search(word + r" +([0-9.]+) (us|ms|s)\b", line[0]).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


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
    command = ["paleo", "simulate", "--device", "h100-sxm", "--link", "infiniband-ndr",
               "--node-link", "nvlink4", "--workers-per-node", "4", "--workers", "1,4,16"]
    for extra in ([], ["--overlap"], ["--recompute"], ["--overlap", "--recompute"]):
        words = command + extra + ["--strategy", "data,tensor,zero1,zero2,zero3,model,hybrid",
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
            if row["strategy"] == "model":
                continue  # its workers differ, and its passes hold what they wait for
            if row["strategy"] == "hybrid":  # in whose turns workers wait for what is sent
                sent = process.track("worker 0: communication")
                near(ms(sent), 1e3 * row["comm_s"], 1e-5, process.name)
                continue
            for w in range(workers):
                compute = process.track(f"worker {w}: compute")
                near(ms(compute, "forward"), 1e3 * row["forward_s"], 1e-5, process.name)
                near(ms(compute, "backward", "again forward"), 1e3 * row["backward_s"], 1e-5,
                     process.name)
                near(ms(compute, "update"), 1e3 * row["update_s"], 1e-5, process.name)
                near(ms(process.track(f"worker {w}: communication")), 1e3 * row["comm_s"], 1e-5,
                     process.name)
    check_plans()
    refused = run(*command, "--strategy", "pipeline", "--trace", "t.json", "alex_v2_4gpu", status=1)
    assert "'pipeline' is a formula" in refused.stderr and "plan such as 'pp4'" in refused.stderr
    assert not os.path.exists("t.json")


def check_plans():
    """A schedule by its stages: each micro-batch once in each chunk, after what it needs."""
    config = ROOT + "/tests/golden/simulate-plans/config.json:seq=1024"
    words = ["paleo", "simulate", "--cost-model", "datasheet", "--device", "h100-sxm", "--dtype", "bf16",
             "--link", "infiniband-ndr", "--node-link", "nvlink4", "--workers-per-node", "8",
             "--workers", "16", "--scaling", "strong", "--batch", "64",
             "--strategy", "tp4+sp+pp2+v2+zero1,tp2+pp4+zb1,pp4+zb2+mb2+full,pp4,dp", config]
    rows = [json.loads(l) for l in run(*words, "--format", "jsonl").stdout.splitlines()]
    run(*words, "--trace", "plan.json")
    processes = read("plan.json")
    assert len(processes) == len(rows) == 5
    for process, row, stages, chunks, micro in zip(processes, rows, (2, 4, 4, 4, 1), (4, 4, 4, 4, 1),
                                                   (32, 32, 8, 16, 4)):
        done, spans, tails, sums = {}, [], [], []
        for stage in range(stages):
            compute = process.track(f"stage {stage}: compute")
            exchanged = process.track(f"stage {stage}: communication")
            for e in compute + [e for e in exchanged if e["cat"].endswith("exchange")]:
                if e["cat"] == "update":
                    continue
                key = (e["cat"], e["args"]["chunk"], e["args"]["micro_batch"])
                assert key not in done and (key[1] - 1) % stages == stage, (process.name, key)
                done[key] = (e["ts"], e["ts"] + e["dur"])
            updates = [e for e in compute if e["cat"] == "update"]
            assert len(updates) == 1 and updates[0] is compute[-1]
            passes = [e for e in compute + exchanged if "micro_batch" in e["args"]]
            begin, done_ms, end = (min(e["ts"] for e in passes) / 1e3, *[
                max(e["ts"] + e["dur"] for e in events) / 1e3
                for events in (passes, compute + exchanged)])
            spans.append(done_ms - begin)
            tails.append(end - done_ms)
            sums.append((ms(compute, "forward"), ms(compute, "dgrad", "wgrad")))
        # the row tells of the busiest stage
        assert any(abs(f - 1e3 * row["forward_s"]) < 1e-4 and abs(b - 1e3 * row["backward_s"]) < 1e-4
                   for f, b in sums), (process.name, sums)
        for c in range(1, chunks + 1):
            for m in range(1, micro + 1):
                forward, dgrad, wgrad = [done[k, c, m] for k in ("forward", "dgrad", "wgrad")]
                assert dgrad[0] >= forward[1] - 1e-6 and wgrad[0] >= dgrad[1] - 1e-6
                if c > 1:
                    assert forward[0] >= done["forward", c - 1, m][1] - 1e-6
                    assert done["dgrad", c - 1, m][0] >= dgrad[1] - 1e-6
        # the longest of a stage's passes, and the longest update with its exchanges
        near(max(spans) + max(tails), 1e3 * row["step_s"], 1e-5, process.name)
        sends = [e for n, called in process.names.items() if "sends" in called
                 for e in process.events[n]]
        assert len(sends) == 2 * (chunks - 1) * micro * (stages > 1), (process.name, len(sends))
    refused = run(*words[:-2], "pp2+v2+zb1", config, "--trace", "none.json", status=2)
    assert "zb1" in refused.stderr and not os.path.exists("none.json")


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
