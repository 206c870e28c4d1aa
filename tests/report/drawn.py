"""drawn.py ROOT BUILD - the page of `report` as its script draws it (draw.js, in node): charts, tables, words."""
# SPDX-License-Identifier: Apache-2.0
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree

import page
from page import DATA, ROOT, run


def charts(drawn):
    """The pictures, each read as XML."""
    return [ElementTree.fromstring(text)
            for text in re.findall(r'<svg class="chart".*?</svg>', drawn.source, re.S)]


def rows(drawn, number=0):
    """The table of all rows: its heading, and its rows."""
    tables = [t for t in drawn.tables if t[0][0] == "layer" and "GFLOP" in t[0]]
    return tables[number][0], tables[number][1:]


def check_charts(drawn):
    """Each picture has words for who does not see it, and draws within its frame."""
    for chart in charts(drawn):
        words = chart.get("aria-label")
        assert chart.get("role") == "img" and ". " in words
        left, top, width, height = map(float, chart.get("viewBox").split())
        assert [e for e in chart.iter() if e.tag in ("use", "rect") or
                e.get("class") == "column"], ("an empty picture", words)
        for e in chart.iter():
            for name, low, high in (("x", left, left + width), ("y", top, top + height)):
                if e.get(name) is not None:
                    assert low <= float(e.get(name)) <= high, (words, e.attrib)
            if e.tag == "rect":
                assert float(e.get("x")) + float(e.get("width")) <= width
            assert "NaN" not in "".join(e.attrib.values()), e.attrib
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


def check_tables(drawn):
    assert drawn.captions == len(drawn.tables)
    for table in drawn.tables:
        assert len({len(row) for row in table}) == 1, table[0]
        assert all(cell for row in table for cell in row), "no cell is empty"


def draw(path):
    """The page as it is drawn; draw.js also sorts and filters its tables."""
    written = page.check(path)
    drawn = page.Page(run("node", ROOT + "/tests/report/draw.js", path).stdout)
    drawn.data = written.data
    page.check_tags(drawn)
    check_charts(drawn)
    check_tables(drawn)
    targets = [a["href"] for t, a in drawn.tags if t == "a"]
    assert targets == ["#" + a["id"] for t, a in drawn.tags if t == "section"]
    return drawn


def titled(drawn, title):
    return [c for c in charts(drawn) if c.get("aria-label").startswith(title)]


def marks(drawn, title):
    return [len(list(c.iter("use"))) for c in titled(drawn, title)]


def check_predicted():
    run("paleo", "report", "--device", "h100-sxm", "--dtype", "bf16", "--batch", "64",
        "--output", "p.html", "resnet50")
    drawn = draw("p.html")
    data = page.rows_of(drawn.data)
    heading, table = rows(drawn)
    assert [r[0] for r in table] == [r["layer"] for r in data]
    for title, key, scale in (("predicted ms", "s", 1e3), ("low ms", "low_s", 1e3),
                              ("MB", "bytes", 1e-6)):
        at = heading.index(title)
        for row, told in zip(data, table):
            # three digits that count: half of the last one is at most 0.5 %
            assert abs(float(told[at]) / (scale * row[key]) - 1) < 0.0051, (told, row)
    assert marks(drawn, "Roofline") == [len([r for r in data if r["flops"]])]
    assert marks(drawn, "Predicted against measured") == []
    layers = titled(drawn, "Time by layer")
    assert len(layers) == 1
    assert len(layers[0].findall("g[@class='column']")) == len({r["layer"] for r in data})
    # all of the time is in the bars: one pixel for each bar is lost to rounding at most
    kinds = titled(drawn, "Time by kind of op")[0]
    widths = [float(e.get("width")) for e in kinds.iter("rect")]
    total, conv = sum(r["s"] for r in data), sum(r["s"] for r in data if r["kind"] == "conv")
    longest = max(float(e.get("x")) + float(e.get("width")) for e in kinds.iter("rect")) - 190
    assert abs(sum(widths) / longest - total / conv) < 0.02 * total / conv
    # sums, in milliseconds
    sums = drawn.tables[0][1:]
    for told, s in zip(sums, drawn.data["runs"][0]["nets"][0]["sums"]):
        assert told[0] == s["what"] and abs(float(told[1]) / (1e3 * s["s"]) - 1) < 0.0051
    assert len(sums) == 4
    # a mark says what its row says: a layer, its kind and pass, and how fast it is
    said = {t.text for t in titled(drawn, "Roofline")[0].iter("title")}
    first = data[0]
    assert any(t.startswith(f"{first['layer']} {first['kind']} {first['pass']}: ") for t in said)


def check_measured():
    run("paleo", "report", "--output", "m.html", DATA + "cpu-amd-epyc/resnet50-b4-f32.jsonl.gz")
    drawn = draw("m.html")
    data = page.rows_of(drawn.data)
    heading, table = rows(drawn)
    measured, error = heading.index("measured ms"), heading.index("error %")
    for row, told in zip(data, table):
        assert abs(float(told[measured]) / (1e3 * row["measured_s"]) - 1) < 0.0051, told
        off = 100 * (row["s"] / row["measured_s"] - 1)
        assert abs(float(told[error]) - off) <= max(0.051, 0.0051 * abs(off)), (told, off)
    assert len(table) == len(data) > 400
    assert marks(drawn, "Predicted against measured") == [len(data)]
    assert marks(drawn, "Roofline") == [len([r for r in data if r["flops"]])]
    # the caption's numbers, worked out anew
    errors = sorted(abs(r["s"] / r["measured_s"] - 1) for r in data)
    half = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
    within = sum(r["low_s"] <= r["measured_s"] <= r["high_s"] for r in data)
    assert f"Median error before measuring {100 * half:.1f} %" in drawn.source
    assert f"{within} of {len(data)} measured times lie within" in drawn.source


def check_two():
    run("paleo", "report", "--output", "two.html", DATA + "cpu-amd-epyc/vgg16-b4-f32.jsonl.gz",
        DATA + "cpu-amd-epyc-avx2/vgg16-b4-f32.jsonl.gz")
    drawn = draw("two.html")
    counts = [len(rows(drawn, k)[1]) for k in (0, 1)]
    assert marks(drawn, "One run against the other") == [min(counts)], counts
    differences = [t for t in drawn.tables if "difference ms" in t[0]]
    assert len(differences) == 1
    for row in differences[0][1:]:
        a, b, difference = map(float, row[3:6])
        assert abs(b - a - difference) < 0.002 * max(a, b)


def check_workers():
    page.check_workers()
    drawn = draw("w.html")
    # two strategies with eight numbers of workers, weak and strong; one net's front
    assert marks(drawn, "Speedup over workers") == [16, 16]
    assert marks(drawn, "Pareto-optimal configurations") == [len(drawn.data["choices"])]
    assert len(drawn.tables[0]) - 1 == len(drawn.data["steps"])


def check_hostile():
    names = page.write_hostile()
    # what turns the direction of writing is shown as its code
    shown = {name.replace("\u202e", "\\u202e") for name in names}
    assert any(name not in names for name in shown)
    for path in ("h.html", "h2.html"):
        assert shown <= {row[0] for row in rows(draw(path))[1]}
    assert "<b onclick=x>" in draw("h3.html").tables[0][1]


def check_large():
    """A thousand layers: all are there."""
    page.write_large()
    drawn = draw("l.html")
    assert len(titled(drawn, "Time by layer")[0].findall("g[@class='column']")) == 1000
    assert len({row[0] for row in rows(drawn)[1]}) == 1000


if not shutil.which("node"):
    print("skipped: there is no node")
    sys.exit(77)
check_predicted()
check_measured()
check_two()
check_workers()
check_hostile()
check_large()
print("drawn: charts, tables and words are right")
