"""page.py ROOT BUILD - the page of `report`: markup, pictures, policy, contrast, hostile names."""
# SPDX-License-Identifier: Apache-2.0
import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = sys.argv[1]
SMALL = ROOT + "/tests/golden/small.json"
DATA = ROOT + "/tests/data/cpu/"
VOID = {"meta", "link", "br", "img", "input", "hr", "base"}
LEFT_OPEN = {"td", "th", "tr", "tbody", "thead"}  # HTML closes them itself


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


class Page(html.parser.HTMLParser):
    """What a page holds: tags with attributes, tables as lists of cells, text of scripts."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.tags, self.tables, self.raw, self.captions = [], [], {"script": [], "style": []}, 0
        self.open = []
        self.feed(self.source)
        self.close()
        assert not [t for t in self.open if t not in LEFT_OPEN], self.open

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
        while self.open and self.open[-1] in LEFT_OPEN and self.open[-1] != tag:
            self.open.pop()
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        elif self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data.rstrip("\n")

    def charts(self):
        """The pictures, each read as XML, by their titles."""
        charts = []
        for text in re.findall(r"<svg class='chart'.*?</svg>", self.source, re.S):
            charts.append(ElementTree.fromstring(text))
        return charts

    def rows(self, number=0):
        """The rows of the table of all rows, without its heading."""
        tables = [t for t in self.tables if t[0][0] == "layer" and "GFLOP" in t[0]]
        return tables[number][0], tables[number][1:]


def check_policy(page):
    """Nothing is loaded; nothing runs but the two parts whose sums the policy names."""
    policy = [a["content"] for t, a in page.tags
              if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1 and policy[0].startswith("default-src 'none';"), policy
    assert "unsafe" not in policy[0] and "http" not in policy[0]
    for tag in ("script", "style"):
        assert len(page.raw[tag]) == 1, tag
        sum = base64.b64encode(hashlib.sha256(page.raw[tag][0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{sum}'" in policy[0], (tag, sum, policy)
    for tag, attributes in page.tags:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base", "image"), tag
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("style", "src", "srcset"), name
            if name in ("href", "xlink:href"):
                assert value.startswith("#"), value
    assert not re.search(r"url\((?!#)|@import|https?:", page.source.split("<body>")[0])


def check_charts(page):
    """Each picture has words for who does not see it, and draws within its frame."""
    ids = set()
    for chart in page.charts():
        assert chart.get("role") == "img"
        left, top, width, height = map(float, chart.get("viewBox").split())
        title, description = chart.find("title"), chart.find("desc")
        assert title.text and description.text
        named = chart.get("aria-labelledby").split()
        assert named == [title.get("id"), description.get("id")]
        assert not ids & set(named), "an id stands once"
        ids |= set(named)
        drawn = [e for e in chart.iter() if e.tag in ("use", "rect") or
                 e.get("class") in ("layer",)]
        assert drawn, ("an empty picture", title.text)
        for e in chart.iter():
            for name, low, high in (("x", left, left + width), ("y", top, top + height)):
                if e.get(name) is not None:
                    assert low <= float(e.get(name)) <= high, (title.text, e.attrib)
            if e.tag == "rect":
                assert float(e.get("x")) + float(e.get("width")) <= width
        check_ticks(chart)


def check_ticks(chart):
    """Numbers of an axis do not lie over one another: 7 px a letter, 12 px a line."""
    axes = chart.find("g[@class='axes']")
    if axes is None:
        return
    words = [t for t in axes.iter("text") if t.get("class") != "name"]
    below = sorted((float(t.get("x")), len(t.text)) for t in words
                   if t.get("text-anchor") == "middle")
    beside = sorted(float(t.get("y")) for t in words if t.get("text-anchor") == "end")
    for (x, n), (y, m) in zip(below, below[1:]):
        assert y - x >= 3.5 * (n + m) + 4, below
    for x, y in zip(beside, beside[1:]):
        assert y - x >= 14, beside
    assert len(below) >= 2 or not below, below
    assert all(len(t.text) <= 9 for t in words), [t.text for t in words]


def marks(page, title):
    return [len(list(c.iter("use"))) for c in page.charts() if c.find("title").text == title]


def check_tables(page):
    assert page.captions == len(page.tables)
    for table in page.tables:
        assert len({len(row) for row in table}) == 1, table[0]
        assert all(cell for row in table for cell in row), "no cell is empty"


def check(path):
    page = Page(path)
    check_policy(page)
    check_charts(page)
    check_tables(page)
    return page


def check_predicted():
    words = ["--device", "h100-sxm", "--dtype", "bf16", "--batch", "64", "resnet50"]
    run("paleo", "report", *words, "--output", "p.html")
    page = check("p.html")
    rows = [json.loads(l) for l in
            run("paleo", "predict", *words, "--format", "jsonl").stdout.splitlines()]
    heading, table = page.rows()
    assert [r[0] for r in table] == [r["layer"] for r in rows]
    at = heading.index("predicted ms")
    for row, told in zip(rows, table):
        # three digits that count: half of the last one is at most 0.5 %
        assert abs(float(told[at]) / (1e3 * row["predicted_s"]) - 1) < 0.0051, (told, row)
    types = {r["dtype"] for r in rows}
    assert types == {"bf16"} and marks(page, "Roofline") == [len([r for r in rows if r["flops"]])]
    assert marks(page, "Predicted against measured") == []
    layers = [c for c in page.charts() if c.find("title").text.startswith("Time by layer")]
    assert len(layers) == 1
    assert len(layers[0].findall("g[@class='layer']")) == len({r["layer"] for r in rows})
    assert os.path.getsize("p.html") < 400000
    # all of the time is in the bars: one pixel for each bar is lost to rounding at most
    kinds = [c for c in page.charts() if c.find("title").text == "Time by kind of work"][0]
    widths = [float(e.get("width")) for e in kinds.iter("rect")]
    total = sum(r["predicted_s"] for r in rows)
    conv = sum(r["predicted_s"] for r in rows if r["kind"] == "conv")
    longest = max(float(e.get("x")) + float(e.get("width")) for e in kinds.iter("rect")) - 190
    assert abs(sum(widths) / longest - total / conv) < 0.02 * total / conv


def check_measured():
    path = DATA + "cpu-amd-epyc/resnet50-b4-f32.jsonl.gz"
    run("paleo", "report", "--output", "m.html", path)
    page = check("m.html")
    heading, table = page.rows()
    measured, predicted = heading.index("measured ms"), heading.index("predicted ms")
    times = [r for r in table if r[measured] != "-"]
    assert len(table) > 400 and len(times) > 400
    both = [r for r in times if r[predicted] != "-"]
    assert marks(page, "Predicted against measured") == [len(both)]
    assert marks(page, "Roofline") == [len([r for r in times if float(r[4]) > 0])]
    assert os.path.getsize("m.html") < 400000


def check_two():
    run("paleo", "report", "--output", "two.html", DATA + "cpu-amd-epyc/vgg16-b4-f32.jsonl.gz",
        DATA + "cpu-amd-epyc-avx2/vgg16-b4-f32.jsonl.gz")
    page = check("two.html")
    rows = [len(page.rows(k)[1]) for k in (0, 1)]
    assert marks(page, "One run against the other") == [min(rows)], rows
    differences = [t for t in page.tables if "difference ms" in t[0]]
    assert len(differences) == 1
    for row in differences[0][1:]:
        a, b, difference = map(float, row[3:6])
        assert abs(b - a - difference) < 0.002 * max(a, b)


def check_workers():
    steps = run("paleo", "simulate", "--device", "h100-sxm", "--network", "infiniband-ndr",
                "--parallel", "data,zero1,model", "--format", "jsonl", "vgg16").stdout
    choices = run("paleo", "explore", "--devices", "h100-sxm,l4", "--workers", "1,8,64",
                  "--batches", "256,512", "--price", "h100-sxm=3", "--price", "l4=1",
                  "--format", "jsonl", "vgg16").stdout
    for name, text in (("steps.jsonl", steps), ("choices.jsonl", choices)):
        with open(name, "w") as file:
            file.write(text)
    run("paleo", "report", "--output", "w.html", "steps.jsonl", "choices.jsonl")
    page = check("w.html")
    # two strategies with eight numbers of workers, weak and strong; one net's front
    assert marks(page, "Speed-up over workers") == [16, 16]
    assert marks(page, "Choices that none beats") == [len(choices.splitlines())]
    assert len(page.tables[0]) - 1 == len(steps.splitlines())


def check_hostile():
    names = ["<script>alert(1)</script>", "a' onmouseover='alert(1)", "</title></svg>\u202e&amp;"]
    net = json.load(open(SMALL))
    layers = list(net["layers"])
    called = dict(zip(layers[1:4], names))
    net["name"] = "</style><img src=x>"
    net["layers"] = {called.get(k, k): {**v, "parents": [called.get(p, p) for p in v["parents"]]}
                     for k, v in net["layers"].items()}
    with open("hostile.json", "w") as file:
        json.dump(net, file)
    run("paleo", "report", "--device", "h100-sxm", "--output", "h.html", "hostile.json")
    page = check("h.html")
    told = {row[0] for row in page.rows()[1]}
    # what turns the direction of writing is shown as its code
    assert set(names[:2]) <= told and names[2].replace("\u202e", "\\u202e") in told, told
    run("paleo", "profile", "--device", "fake", "--output", "h.jsonl", "hostile.json")
    run("paleo", "report", "--output", "h2.html", "h.jsonl")
    assert set(names[:2]) <= {row[0] for row in check("h2.html").rows()[1]}
    with open("steps.jsonl") as file:
        row = json.loads(file.readline())
    row["net"] = row["parallel"] = "<b onclick=x>"
    with open("hostile.jsonl", "w") as file:
        file.write(json.dumps(row) + "\n")
    run("paleo", "report", "--output", "h3.html", "hostile.jsonl")
    check("h3.html")


def check_large():
    """A thousand layers: all are there."""
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
    page = check("l.html")
    profile = [c for c in page.charts() if c.find("title").text.startswith("Time by layer")][0]
    assert len(profile.findall("g[@class='layer']")) == 1000
    assert len({row[0] for row in page.rows()[1]}) == 1000


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
    style = Page("p.html").raw["style"][0]
    themes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
              for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    assert len(themes) == 2, "light and dark"
    for theme in themes:
        for ground in ("paper", "panel"):
            for word in ("ink", "soft", "link"):
                assert contrast(theme[word], theme[ground]) >= 4.5, (word, ground, theme)
            for k in range(6):
                assert contrast(theme[f"c{k}"], theme[ground]) >= 4.5, (k, ground, theme)


check_predicted()
check_measured()
check_two()
check_workers()
check_hostile()
check_large()
check_files()
check_contrast()
print("page: markup, pictures, tables, policy, contrast and files are right")
