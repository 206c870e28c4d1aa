"""page.py ROOT BUILD - the page of `report`: markup, policy, data, contrast, hostile names."""
# SPDX-License-Identifier: Apache-2.0
import base64
import gzip
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
SMALL = ROOT + "/tests/golden/small.json"
DATA = ROOT + "/tests/data/cpu/"
VOID = {"meta", "link", "br", "img", "input", "hr", "base"}


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


class Page(html.parser.HTMLParser):
    """What a page holds: tags with attributes, tables as lists of cells, text of scripts."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.source = source
        self.tags, self.tables, self.raw, self.captions = [], [], {"script": [], "style": []}, 0
        self.open = []
        self.feed(self.source)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "caption":
            self.captions += 1
        elif tag in self.raw:
            self.raw[tag].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        elif {"td", "th"} & set(self.open[-2:]):
            self.tables[-1][-1][-1] += data


def check_tags(page):
    """Nothing is loaded, and no attribute is a script or a style."""
    for tag, attributes in page.tags:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base", "image"), tag
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("style", "src", "srcset"), name
            if name in ("href", "xlink:href"):
                assert value.startswith("#"), value


def check_policy(page):
    """Nothing runs but the two parts whose sums the policy names."""
    policy = [a["content"] for t, a in page.tags
              if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1 and policy[0].startswith("default-src 'none';"), policy
    assert "unsafe" not in policy[0] and "http" not in policy[0]
    assert len(page.raw["style"]) == 1 and len(page.raw["script"]) == 2
    for tag in ("script", "style"):
        sum = base64.b64encode(hashlib.sha256(page.raw[tag][-1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{sum}'" in policy[0], (tag, sum, policy)
    for markup in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert markup not in page.raw["script"][1], markup
    assert not re.search(r"url\((?!#)|@import|https?:", page.source.split("<body>")[0])


def check(path):
    """Checks the page as it is written; its data are what it is drawn from."""
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    check_tags(page)
    check_policy(page)
    scripts = [a for t, a in page.tags if t == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}], scripts
    assert "<" not in page.raw["script"][0]
    assert page.source.count("<noscript>") == 1 and "JavaScript" in page.source
    page.data = json.loads(page.raw["script"][0])
    for row in rows_of(page.data):
        assert row["layer"] and row["bytes"] >= 0 and row["flops"] >= 0
    return page


def rows_of(data, run=0, net=0):
    """The rows of a net; of a page without runs none."""
    return data["runs"][run]["nets"][net]["rows"] if data["runs"] else []


def check_predicted():
    words = ["--device", "h100-sxm", "--dtype", "bf16", "--batch", "64", "resnet50"]
    run("paleo", "report", *words, "--output", "p.html")
    data = check("p.html").data
    rows = [json.loads(l) for l in
            run("paleo", "predict", *words, "--format", "jsonl").stdout.splitlines()]
    told = rows_of(data)
    assert len(told) == len(rows)
    for row, other in zip(told, rows):
        for ours, theirs in (("layer", "layer"), ("kind", "kind"), ("pass", "pass"),
                             ("dtype", "dtype"), ("flops", "flops"), ("s", "predicted_s"),
                             ("bound", "bound")):
            assert row[ours] == other[theirs], (ours, row, other)
        assert row["low_s"] <= row["s"] <= row["high_s"]
    sums = {s["what"]: s for s in data["runs"][0]["nets"][0]["sums"]}
    assert list(sums) == ["forward", "backward", "update", "training step"]
    parts = {"fwd": "forward", "bwd_data": "backward", "bwd_filter": "backward",
             "update": "update"}
    for what, s in sums.items():
        of = [r["s"] for r in told if what in (parts[r["pass"]], "training step")]
        assert s["rows"] == s["counted"] == len(of)
        assert abs(s["s"] / sum(of) - 1) < 1e-12 and s["low_s"] < s["s"] < s["high_s"]
    assert sum(f["rows"] for f in data["runs"][0]["factors"]) == len(rows)
    assert data["runs"][0]["device"]["flop_per_s"]["bf16"] > 9e14
    assert data["steps"] == data["choices"] == []
    assert os.path.getsize("p.html") < 400000


def check_measured():
    path = DATA + "cpu-amd-epyc/resnet50-b4-f32.jsonl.gz"
    run("paleo", "report", "--output", "m.html", path)
    rows = rows_of(check("m.html").data)
    with gzip.open(path, "rt") as file:
        records = [json.loads(line) for line in file]
    times = {r["timing"]["median_s"] for r in records
             if r["type"] == "record" and r["mode"] == "cold" and r["status"] == "ok"}
    told = [r["measured_s"] for r in rows if "measured_s" in r]
    assert len(told) == len(rows) > 400 and set(told) <= times
    for row in rows:
        assert row["measured_low_s"] <= row["measured_s"] <= row["measured_high_s"]
    assert os.path.getsize("m.html") < 400000


def check_workers():
    """What simulate prints, with --search and without, is in the page as they print it, its texts and numbers."""
    steps = run("paleo", "simulate", "--device", "h100-sxm", "--link", "infiniband-ndr",
                "--strategy", "data,zero1,model", "--format", "jsonl", "vgg16").stdout
    choices = run("paleo", "simulate", "--search", "--device", "h100-sxm,l4", "--workers", "1,8,64",
                  "--batch", "256,512", "--price", "h100-sxm=3", "--price", "l4=1",
                  "--format", "jsonl", "vgg16").stdout
    for name, text in (("steps.jsonl", steps), ("choices.jsonl", choices)):
        with open(name, "w") as file:
            file.write(text)
    run("paleo", "report", "--output", "w.html", "choices.jsonl", "steps.jsonl")
    data = check("w.html").data
    for name, text in (("steps", steps), ("choices", choices)):
        rows = [json.loads(line) for line in text.splitlines()]
        assert data[name] == [{k: v for k, v in r.items() if type(v) in (str, int, float)}
                              for r in rows], name
    assert data["runs"] == []


def write_hostile():
    """Names that would be markup, or steer; they come back as they are."""
    names = ["<script>alert(1)</script>", "a' onmouseover='alert(1)", "</title></svg>\u202e&amp;",
             "<!--"]
    net = json.load(open(SMALL))
    layers = list(net["layers"])
    called = dict(zip(layers[1:5], names))
    net["name"] = "</style><img src=x>"
    net["layers"] = {called.get(k, k): {**v, "parents": [called.get(p, p) for p in v["parents"]]}
                     for k, v in net["layers"].items()}
    with open("hostile.json", "w") as file:
        json.dump(net, file)
    run("paleo", "report", "--device", "h100-sxm", "--output", "h.html", "hostile.json")
    run("paleo", "profile", "--device", "fake", "--output", "h.jsonl", "hostile.json")
    run("paleo", "report", "--output", "h2.html", "h.jsonl")
    row = json.loads(open("steps.jsonl").readline())
    row["net"] = row["strategy"] = "<b onclick=x>"
    with open("hostile.jsonl", "w") as file:
        file.write(json.dumps(row) + "\n")
    run("paleo", "report", "--output", "h3.html", "hostile.jsonl")
    return names


def check_hostile():
    names = set(write_hostile())
    for page in ("h.html", "h2.html"):
        assert names <= {row["layer"] for row in rows_of(check(page).data)}, page
    assert check("h.html").data["runs"][0]["nets"][0]["title"] == "</style><img src=x>"
    assert check("h3.html").data["steps"][0]["net"] == "<b onclick=x>"


def write_large():
    """A thousand layers."""
    layers = {"data": {"type": "Input", "parents": [], "tensor": [1, 8, 8, 4]}}
    last = "data"
    for i in range(1000):
        name = f"block{i // 10}/a_rather_long_name_of_a_module/layer{i}"
        layers[name] = {"type": "Convolution", "parents": [last], "filter": [3, 3, 4, 4],
                        "strides": [1, 1, 1, 1], "padding": "SAME"}
        last = name
    with open("large.json", "w") as file:
        json.dump({"name": "large", "layers": layers}, file)
    run("paleo", "report", "--device", "h100-sxm", "--output", "l.html", "large.json")


def check_large():
    write_large()
    assert len({row["layer"] for row in rows_of(check("l.html").data)}) == 1000


def check_files():
    with open("mine.html", "w") as file:
        file.write("<p>mine</p>\n")
    command = ["paleo", "report", "--device", "h100-sxm", "--output", "mine.html", SMALL]
    assert "mine.html" in run(*command, status=2).stderr
    assert open("mine.html").read() == "<p>mine</p>\n"
    run(*command, "--force")
    run(*command)
    check("mine.html")
    assert "no net" in run("paleo", "report", "--output", "d.html",
                           DATA + "cpu-amd-epyc/design-f32.jsonl.gz", status=2).stderr
    assert not os.path.exists("d.html")
    with open("broken.jsonl", "w") as file:
        file.write(open("steps.jsonl").readline() + "{\n")
    assert "broken.jsonl:2:" in run("paleo", "report", "broken.jsonl", status=2).stderr


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    """WCAG 2.1, contrast ratio."""
    a, b = sorted((luminance(one), luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def check_contrast():
    style = check("p.html").raw["style"][0]
    themes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
              for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    assert len(themes) == 2, "light and dark"
    for theme in themes:
        for ground in ("paper", "panel"):
            for word in ("ink", "soft", "link"):
                assert contrast(theme[word], theme[ground]) >= 4.5, (word, ground, theme)
            for k in range(6):
                assert contrast(theme[f"c{k}"], theme[ground]) >= 4.5, (k, ground, theme)


if __name__ == "__main__":
    check_predicted()
    check_measured()
    check_workers()
    check_hostile()
    check_large()
    check_files()
    check_contrast()
    print("page: markup, policy, data, contrast and files are right")
