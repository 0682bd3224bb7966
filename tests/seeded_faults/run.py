#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests on every fault of faults.txt and says which are killed.

usage: run.py ROOT WORK [--faults FILE] [--only FIRST:LAST] [--suites REGEX] [--within N] [--costs FILE] [--long]
              [--jobs N]
       run.py ROOT --check    only whether every fault still has its place

All faults are built into one copy of the tree at once, each behind a switch of the environment (KUMIKI_FAULT=N), so that
nothing is compiled twice. For every fault the suites run, first those that speak of its file, are cheap or have killed
its neighbours, until one fails. Results go to WORK/result.json as they come; a run goes on where the last one stopped.
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
import threading
import time

HERE = pathlib.Path(__file__).parent
PATIENCE = 6  # how many times longer a suite may take by the clock on the wall than by that of a processor
SWITCH = """#pragma once
#ifdef __cplusplus
#include <cstdlib>
inline bool kumiki_fault(int n) {
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
    else:
        changed = f"{part[:-1]}(kumiki_fault({number}) ? {int(part[-1]) + 1} : {part[-1]})"
    lines[places[0]] = lines[places[0]].replace(part, changed, 1)
    path.write_text("\n".join(lines) + "\n")
    return None


def check(root, faults):
    lost = 0
    for name, _, part, line in faults:
        path = root / name
        places = [text for text in path.read_text().splitlines() if text.strip() == line] if path.exists() else []
        if len(places) != 1 or part.strip("()") not in line:
            print(f"{name}: stands {len(places)} times: {line}")
            lost += 1
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
    flags = f"-include {(work / 'switch.h').resolve()} -Wno-error"
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


def run(suite, fault, seconds):
    """Whether the suite passes. No process of it may compute for longer than SECONDS, however busy the machine is."""
    name, command, settings = suite
    command = ["prlimit", f"--cpu={round(seconds)}", "--", *command]
    seconds *= PATIENCE
    environment = dict(os.environ, KUMIKI_FAULT=str(fault))
    environment.update(setting.split("=", 1) for setting in settings)
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
    parser.add_argument("--costs", type=pathlib.Path, action="append", default=[],
                        help="CTestCostData.txt of a former run: suites are then run without a fault only when they kill")
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
    result = {"seconds": {}, "sound": [], "killed": {}, "survived": []}
    if result_file.exists():
        result |= json.loads(result_file.read_text())
    for file in options.costs:
        for line in file.read_text().splitlines():
            words = line.rsplit(" ", 2)
            if len(words) == 3:
                result["seconds"].setdefault(words[0], float(words[2]))
    speaks_of = files_of_suites(options.root)
    # One at a time of each suite: it has one temporary folder.
    busy = {suite[0]: threading.RLock() for suite in suites}

    def is_sound(suite):
        """Without a fault a suite passes; what it then takes is what it may cost with one."""
        with busy[suite[0]]:
            if suite[0] not in result["sound"]:
                begin = time.monotonic()
                if not run(suite, 0, 1200):
                    print(f"{suite[0]} fails without a fault", flush=True)
                    os._exit(1)
                result["seconds"][suite[0]] = round(time.monotonic() - begin, 2)
                result["sound"].append(suite[0])
        return True

    if not options.costs:
        for suite in suites:
            is_sound(suite)

    first, last = map(int, options.only.split(":"))
    todo, lock = queue.Queue(), threading.Lock()
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
                return (result["seconds"].get(suite[0], 10) + 0.05) / (1 + 20 * same) / (1 + 10 * alike * alike)
            def kills_it(suite):
                with busy[suite[0]]:
                    return not run(suite, number, 10 + 4 * result["seconds"].get(suite[0], 10)) and is_sound(suite)
            killer = next((s[0] for s in sorted(suites, key=order)[:options.within] if kills_it(s)), None)
            with lock:
                if not killer and options.within:
                    print(f"{number} {fault[0]}: open", flush=True)
                    continue
                if killer:
                    result["killed"][str(number)] = {"suite": killer, "file": fault[0]}
                else:
                    result["survived"].append(number)
                result_file.write_text(json.dumps(result, indent=1))
                print(f"{number} {fault[0]}: {killer or 'SURVIVES: ' + fault[3]}", flush=True)

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = len(result["killed"]) + len(result["survived"])
    print(f"{len(result['killed'])} of {len(faults)} killed, {len(result['survived'])} survive, {len(faults) - seen} open")


sys.exit(main())
