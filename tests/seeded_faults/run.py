#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests on every fault of faults.txt and says which are killed.

usage: run.py ROOT WORK [--faults FILE] [--only FIRST:LAST] [--suites REGEX] [--within N] [--long] [--jobs N]
       run.py ROOT --check    only whether every fault still has its place

All faults are built into one copy of the tree at once, each behind a switch of the environment (KUMIKI_FAULT=N), so that
nothing is compiled twice. Every suite runs once without a fault, which tells what it costs and which switches it comes
by. Then those that come by a fault run on it, first the ones that speak of its file, are cheap or have killed its
neighbours, until one fails. Results go to WORK/result.json as they come; a run goes on where the last one stopped.
"""
import argparse
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from choose import at_the_edge

HERE = pathlib.Path(__file__).parent
PATIENCE = 6  # how many times longer a suite may take by the clock on the wall than by that of a processor
SWITCH = """#pragma once
#ifdef __cplusplus
#include <atomic>
#include <cstdio>
#include <cstdlib>
inline void kumiki_fault_reached(const char* folder, int n) {
  static std::atomic<bool> said[1000];
  if (said[n].exchange(true)) return;
  char name[4096];
  std::snprintf(name, sizeof name, "%s/%d", folder, n);
  if (std::FILE* file = std::fopen(name, "w")) std::fclose(file);
}
inline bool kumiki_fault(int n) {
  static const char* const folder = std::getenv("KUMIKI_FAULTS_REACHED");
  if (folder) kumiki_fault_reached(folder, n);
  static const int on = std::getenv("KUMIKI_FAULT") ? std::atoi(std::getenv("KUMIKI_FAULT")) : 0;
  return on == n;
}
#endif
"""


def read_faults(file):
    faults = []
    for line in pathlib.Path(file).read_text().splitlines():
        if line and not line.startswith("#"):
            faults.append(line.split(" | ", 3))
    return faults


def plant(tree, number, fault):
    name, kind, part, line = fault
    path = tree / name
    lines = path.read_text().splitlines() if path.exists() else []
    places = [i for i, text in enumerate(lines) if re.sub(r"kumiki_fault\(\d+\)", "", text).strip() == line]
    if len(places) != 1:
        return f"stands {len(places)} times"
    if kind == "invert":
        changed = f"(kumiki_fault({number}) != static_cast<bool>{part})"
    elif kind == "edge":
        changed = f"(kumiki_fault({number}) ? {at_the_edge(part)} : {part})"
    else:
        changed = f"{part[:-1]}(kumiki_fault({number}) ? {int(part[-1]) + 1} : {part[-1]})"
    lines[places[0]] = lines[places[0]].replace(part, changed, 1)
    path.write_text("\n".join(lines) + "\n")
    return None


def check(root, faults):
    lost, taken = 0, set()
    for name, _, part, line in faults:
        path = root / name
        places = [text for text in path.read_text().splitlines() if text.strip() == line] if path.exists() else []
        if len(places) != 1 or part.strip("()") not in line:
            print(f"{name}: stands {len(places)} times: {line}")
            lost += 1
        elif (name, line) in taken:
            print(f"{name}: has two faults in one line: {line}")
            lost += 1
        taken.add((name, line))
    print(f"{len(faults)} faults, {lost} without a place of their own")
    return 1 if lost or len(faults) < 200 else 0


def build(root, work, faults):
    tree = work / "tree"
    if not tree.exists():
        files = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True).stdout
        for name in files.decode().split("\0"):
            if name:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, tree / name, follow_symlinks=False)
        (work / "switch.h").write_text(SWITCH)
        for number, fault in enumerate(faults, 1):
            problem = plant(tree, number, fault)
            if problem:
                sys.exit(f"fault {number}, {fault[0]}: {fault[3]}: {problem}")
    flags = f"-include {(work / 'switch.h').resolve()} -w"
    subprocess.run(["cmake", "--preset", "release", "--log-level=ERROR", f"-DCMAKE_CXX_FLAGS={flags}",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O1"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release"], cwd=tree, check=True)
    return tree / "build/release"


def words_of(name):
    """What a path or the name of a suite speaks of: {"cache", "lockstep"}."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]{3,}", name)} - {"gen", "backends", "test", "cpp"}


def files_of_suites(root):
    """{suite: words of the files that its tests stand in}"""
    found = {}
    for file in (root / "tests").rglob("*.cpp"):
        words = words_of(file.relative_to(root).as_posix())
        for suite in re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),", file.read_text(), re.MULTILINE):
            found.setdefault(suite, set()).update(words | words_of(suite))
    return found


def suites_of(folder, pattern):
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, check=True, capture_output=True).stdout
    found = []
    for test in json.loads(listing)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        labels = properties.get("LABELS", [])
        if re.search(pattern, test["name"]) and ("pure" in labels or "tools" in labels):
            found.append((test["name"], test["command"], properties.get("ENVIRONMENT", [])))
    return found


def run(suite, fault, seconds, reached=None):
    """Whether the suite passes. No process of it may compute for longer than SECONDS, however busy the machine is.
    The switches that it comes by leave a file each in REACHED."""
    name, command, settings = suite
    command = ["prlimit", f"--cpu={round(seconds)}", "--", *command]
    seconds *= PATIENCE
    environment = dict(os.environ, KUMIKI_FAULT=str(fault))
    environment.update(setting.split("=", 1) for setting in settings)
    if reached:
        environment["KUMIKI_FAULTS_REACHED"] = str(reached)
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
    # It waits for ever, or the machine is busy: then it is as slow without the fault, and has seen nothing.
    return fault != 0 and not run(suite, 0, seconds / PATIENCE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true", help="only whether every fault still has its place")
    parser.add_argument("--faults", default=HERE / "faults.txt")
    parser.add_argument("--only", default="1:100000")
    parser.add_argument("--suites", default=".")
    parser.add_argument("--within", type=int,
                        help="only the first N suites of each fault; what they do not kill stays open for another run")
    parser.add_argument("--long", action="store_true", help="every sweep whole")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    # Whoever starts us in the background may have them ignored, and tests that end programs so would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if options.check:
        return check(options.root, read_faults(options.faults))
    if not options.work:
        parser.error("WORK is missing")
    if options.long:
        os.environ["KUMIKI_LONG"] = "1"
    options.work.mkdir(parents=True, exist_ok=True)
    faults = read_faults(options.faults)
    folder = build(options.root.resolve(), options.work, faults)

    suites = suites_of(folder, options.suites)
    result_file = options.work / "result.json"
    result = {"seconds": {}, "reached": {}, "killed": {}, "survived": []}
    if result_file.exists():
        result |= json.loads(result_file.read_text())
    speaks_of = files_of_suites(options.root)
    # One at a time of each suite: it has one temporary folder.
    busy = {suite[0]: threading.Lock() for suite in suites}
    lock = threading.Lock()

    def save():
        result_file.write_text(json.dumps(result, indent=1))

    def learn(suite):
        """Without a fault a suite passes; what it then takes is what it may cost with one."""
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            sound = run(suite, 0, 1200, folder) or run(suite, 0, 1200)
            seconds = round(time.monotonic() - begin, 2)
            reached = sorted(int(name) for name in os.listdir(folder))
        if not sound:
            print(f"{suite[0]} fails without a fault", flush=True)
            os._exit(1)
        with lock:
            result["seconds"][suite[0]] = seconds
            result["reached"][suite[0]] = reached
            save()
            print(f"{suite[0]}: {seconds} s, comes by {len(reached)}", flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(learn, [suite for suite in suites if suite[0] not in result["reached"]]):
            pass

    first, last = map(int, options.only.split(":"))
    todo = queue.Queue()
    for number, fault in enumerate(faults, 1):
        if first <= number <= last and str(number) not in result["killed"] and number not in result["survived"]:
            todo.put((number, fault))

    def work():
        while True:
            try:
                number, fault = todo.get_nowait()
            except queue.Empty:
                return
            near = os.path.dirname(fault[0])
            with lock:
                kills = list(result["killed"].values())
            subject = words_of(fault[0])
            def order(suite):
                same = sum(k["suite"] == suite[0] and os.path.dirname(k["file"]) == near for k in kills)
                names = re.split(r"[/.]", suite[0])
                alike = max(len(subject & speaks_of.get(name, words_of(name))) for name in names)
                return (result["seconds"][suite[0]] + 0.05) / (1 + 20 * same) / (1 + 10 * alike * alike)
            def kills_it(suite):
                with busy[suite[0]]:
                    limit = 10 + 4 * result["seconds"][suite[0]]
                    return not run(suite, number, limit)
            comes_by = sorted((s for s in suites if number in result["reached"][s[0]]), key=order)
            killer = next((s[0] for s in comes_by[:options.within] if kills_it(s)), None)
            with lock:
                if not killer and options.within and options.within < len(comes_by):
                    print(f"{number} {fault[0]}: open, {len(comes_by)} suites come by", flush=True)
                    continue
                if killer:
                    result["killed"][str(number)] = {"suite": killer, "file": fault[0]}
                else:
                    result["survived"].append(number)
                save()
                said = killer or f"SURVIVES {len(comes_by)} suites that come by: {fault[3]}"
                print(f"{number} {fault[0]}: {said}", flush=True)

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = len(result["killed"]) + len(result["survived"])
    print(f"{len(result['killed'])} of {len(faults)} killed, {len(result['survived'])} survive, {len(faults) - seen} open")


sys.exit(main())
