#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sweep as an array of a real Slurm: two nodes on this machine, one of which dies in the middle.

usage: slurm.py PROGRAM FOLDER
What the dead node had is queued again, the table comes behind the array, and it is the one of a run without a scheduler,
byte for byte. Where Slurm cannot be started, which is said, the script that is emitted runs under a stand-in for sbatch.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

SWEEP = {
    "kumiki": 1, "name": "nodes", "base": "base.json",
    "vary": {"/layers/0/terms": {"from": 2, "to": 7}, "/layers/0/scheme": ["wp487-int8", "carry-lane-drain"],
             "/simulation/seed": {"from": 1, "to": 2}},
    # One of them is refused: it is a line of the table, here as there.
    "where": ["terms < 7 || seed == 1 || scheme == 'wp487-int8'"],
    "do": ["sim"], "collect": {"columns": ["slices", "luts", "exact"], "pareto": ["luts", "macs_per_clock"]},
}
BASE = {"kumiki": 1, "name": "base", "simulation": {"cycles": 40000},
        "layers": [{"type": "dot", "name": "d", "terms": 4, "scheme": "wp487-int8"}]}
TASKS = 8
TABLES = ("table.csv", "table.json", "table.html")
PATIENCE = 240  # seconds, of whoever waits for Slurm


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def children_of(pid):
    """A process and all that it has started, itself first: killed in this order it tells nobody how those ended."""
    tree = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                tree.setdefault(int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(entry.name))
            except OSError:
                pass  # it has ended
    def below(p):
        return [p] + [q for child in tree.get(p, []) for q in below(child)]
    return below(pid)


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Slurm:
    """munge, a controller and two nodes, all of them in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        for name in ("munge", "state", "n1", "n2"):
            (folder / name).mkdir(parents=True)
        self.config = folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.config)}

    def start(self):
        munge = self.folder / "munge"
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self._background(["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                          f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        self._until(lambda: (munge / "socket").exists(), "munged did not start")
        controller, one, two = free_ports(3)
        self.config.write_text(f"""\
ClusterName=kumiki
SlurmctldHost=localhost
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={munge}/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/%n.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
KillWait=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n1 NodeHostname=localhost Port={one} CPUs=2
NodeName=n2 NodeHostname=localhost Port={two} CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        self._background(["slurmctld", "-D", "-c"])
        self.nodes = {name: self._background(["slurmd", "-D", "-N", name]) for name in ("n1", "n2")}
        self._until(lambda: self.ask("sinfo", "-h", "-o", "%D %t").split() == ["2", "idle"], "no node answers")

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout

    def let_die(self, name):
        """The node and all that runs on it, at once."""
        jobs = {p.name.split("_")[1].split(".")[0] for p in (self.folder / name).glob(f"{name}_*.*")}
        dead = [self.nodes[name].pid]
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                if words.startswith("slurmstepd: [") and words[len("slurmstepd: ["):].split(".")[0] in jobs:
                    dead += children_of(int(entry.name))
        kill(dead)
        self.ask("scontrol", "update", f"nodename={name}", "state=down", "reason=died")
        return jobs

    def _background(self, command):
        log = open(self.folder / f"{command[0]}.log", "ab")
        process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.started.append(process)
        return process

    @staticmethod
    def _until(is_so, otherwise, seconds=20):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise RuntimeError(otherwise)
            time.sleep(0.05)

    def stop(self):
        for process in reversed(self.started):
            kill(children_of(process.pid))
            process.wait()


def say(text):
    print(text, flush=True)


def under_slurm(slurm, folder, program, submit):
    subprocess.run(["sh", submit, "--output=/dev/null"], cwd=folder, check=True,
                   env={**slurm.environment, "KUMIKI": program})
    points = folder / "far/points"
    end = time.monotonic() + PATIENCE
    # Jobs give folders their names while this looks.
    done = lambda: sum(os.path.exists(f"{where}/result.json") for where, _, _ in os.walk(points))
    while done() < 3 or not list((slurm.folder / "n1").glob("n1_*.*")):
        if time.monotonic() > end or not slurm.ask("squeue", "-h"):
            raise SystemExit("FAILED: the array ended before a node could die:\n" + slurm.ask("squeue"))
        time.sleep(0.01)
    jobs = slurm.let_die("n1")
    say(f"node n1 died with the jobs {sorted(jobs)} on it, {done()} points were done")
    if not jobs:
        raise SystemExit("FAILED: nothing ran on the node that died")
    while slurm.ask("squeue", "-h"):
        # Slurm lets what it has queued again wait for two minutes; the test does not.
        for job in slurm.ask("squeue", "-h", "-r", "-t", "PD", "-o", "%A %r").splitlines():
            if job.endswith("BeginTime"):
                slurm.ask("scontrol", "update", f"jobid={job.split()[0]}", "starttime=now")
        if time.monotonic() > end:
            raise SystemExit("FAILED: the array does not end:\n" + slurm.ask("squeue") + slurm.ask("scontrol", "show", "job"))
        time.sleep(0.2)


def under_stand_in(folder, program, submit):
    """sbatch that runs an array's tasks one after the other, and what depends on them behind."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "sbatch").write_text("""#!/bin/sh
array= script=
while [ $# -gt 0 ]; do
  case "$1" in
    --array=1-*) array=${1#--array=1-} ;;
    --wrap) script=$2 && shift ;;
  esac
  shift
done
i=1
while [ "$i" -le "${array:-1}" ]; do
  SLURM_ARRAY_TASK_ID=$i sh -c "$script" >&2
  i=$((i + 1))
done
echo 1
""")
    (tools / "sbatch").chmod(0o755)
    subprocess.run(["sh", submit], cwd=folder, check=True,
                   env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "KUMIKI": program})


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["KUMIKI_CACHE"] = str(folder / "cache")
    (folder / "base.json").write_text(json.dumps(BASE))
    (folder / "sweep.json").write_text(json.dumps(SWEEP))

    def sweep(*more, ends=(0,)):
        done = subprocess.run([program, "sweep", "sweep.json", *more], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in ends:
            raise SystemExit(f"FAILED: sweep {' '.join(more)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    sweep("-o", "here")
    (folder / "submit.sh").write_text(sweep("-o", "far", "--emit", "slurm", "--tasks", str(TASKS)))
    slurm = Slurm(folder / "slurm")
    try:
        try:
            if os.geteuid() != 0:
                raise RuntimeError("its daemons want root")
            slurm.start()
        except (OSError, RuntimeError) as why:
            say(f"NOT TESTED under Slurm: it does not start ({why}). A stand-in for sbatch runs the emitted script; "
                "that a node dies in the middle is not tested.")
            under_stand_in(folder, program, "submit.sh")
        else:
            under_slurm(slurm, folder, program, "submit.sh")
    finally:
        slurm.stop()
    for name in TABLES:
        if (folder / "here" / name).read_bytes() != (folder / "far" / name).read_bytes():
            raise SystemExit(f"FAILED: {name} is another one than without a scheduler")
    rows = json.loads((folder / "far/table.json").read_text())["rows"]
    if len(rows) < 20 or any(not row["figures"]["exact"] for row in rows):
        raise SystemExit("FAILED: not all points are there and exact")
    say(f"{len(rows)} points in {TASKS} tasks: the same tables")


main()
