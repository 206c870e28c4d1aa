"""outputs.py ROOT BUILD [--write] - the outputs that README and guide show are those of today's program."""
# SPDX-License-Identifier: Apache-2.0
#
# A line "<!-- output -->" stands before a block of output: that of the block of commands before it, or of its own lines
# "$ COMMAND". "<!-- file NAME -->" makes a file of the next block. What is shown may leave lines out: the others stand
# in their order, and "..." stands for any. --write puts today's numbers in place of lines that differ in these alone.
import os
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WRITE = "--write" in sys.argv
# Folders that pages name, each with a config.json of a test's.
CONFIGS = {"llama": "tests/golden/serving/llama/config.json"}


def lay_out(folder):
    """What pages take as given, in a folder to run their commands in."""
    for name in ("import", "results", "tests"):
        os.symlink(f"{ROOT}/{name}", f"{folder}/{name}")
    for name, file in CONFIGS.items():
        os.mkdir(f"{folder}/{name}")
        os.symlink(f"{ROOT}/{file}", f"{folder}/{name}/config.json")


def run(command, folder):
    env = dict(os.environ, PATH=f"{BUILD}/bin:{os.environ['PATH']}", NO_COLOR="1")
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.splitlines()


def pattern(line):
    return ".*".join(re.escape(part) for part in line.rstrip().split("..."))


def shape(line):
    """A line without its numbers, and without how far columns are apart."""
    return re.sub(r"-{4,}", "-", re.sub(r"[ ]+", " ", re.sub(r"\d[\d.,]*", "N", line.strip())))


def likest(line, found, among):
    """The one of these found lines that has most of a line's words."""
    words = set(line.split())
    return max(among, key=lambda k: len(words & set(found[k].split())))


def compare(shown, found):
    """The shown lines as they should be, and those of them that the program does not print."""
    now, wrong, at = [], [], 0
    for line in shown:
        if not line.strip() or line.strip() == "...":
            now.append(line)
            continue
        exact = [k for k in range(at, len(found)) if re.fullmatch(pattern(line), found[k].rstrip())]
        alike = [k for k in range(at, len(found)) if shape(found[k]) == shape(line)]
        if not exact:
            wrong.append(line)
        if exact or alike:
            at = (exact[0] if exact else likest(line, found, alike)) + 1
        now.append(line if exact or not alike else found[at - 1].rstrip())
    return now, wrong


def blocks(lines):
    """Each fenced block: where its lines begin and end, and the word of its fence."""
    begin = None
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if begin is None:
            begin, word = i + 1, line[3:].strip()
        else:
            yield begin, i, word
            begin = None


def split(text):
    """Commands with what each should print, of a block that has both."""
    parts = []
    for line in text:
        if line.startswith("$ "):
            parts.append([line[2:], [line]])
        elif parts:
            parts[-1][1].append(line)
    return parts


def check(page, folder):
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    commands, wrong, now = "", 0, list(lines)
    for begin, end, word in reversed(list(blocks(lines))):
        mark = lines[begin - 2]
        named = re.fullmatch(r"<!-- file (\S+) -->", mark)
        if named:
            with open(f"{folder}/{named[1]}", "w", encoding="utf-8") as file:
                file.write("\n".join(lines[begin:end]) + "\n")
    for begin, end, word in blocks(lines):
        if word == "sh":
            commands = "\n".join(lines[begin:end])
            continue
        if lines[begin - 2] != "<!-- output -->":
            continue
        shown = lines[begin:end]
        parts = split(shown) or [[commands, shown]]
        fresh = []
        for command, text in parts:
            own = text[:1] if text and text[0].startswith("$ ") else []
            told, missing = compare(text[len(own):], run(command, folder))
            fresh += own + told
            for line in missing:
                wrong += 1
                print(f"{os.path.relpath(page, ROOT)}: not printed today: {line}")
        now[begin:end] = fresh
    if WRITE and now != lines:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(now))
    return wrong


def main():
    guide = f"{ROOT}/docs/guide"
    pages = [f"{ROOT}/README.md"] + sorted(f"{guide}/{name}" for name in os.listdir(guide) if name.endswith(".md"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        lay_out(folder)
        for page in pages:
            wrong += check(page, folder)
    if wrong and not WRITE:
        print("docs/outputs.py ROOT BUILD --write puts today's numbers in place")
    return 1 if wrong else 0


sys.exit(main())
