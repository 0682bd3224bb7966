#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a release of the commit that is checked out, the same bytes whoever makes it where: docs/release.md.

usage: release.py OUT [--source-only] [--verify] [--work DIR] [--jobs N]

  OUT            the folder of the release; it must not be there yet
  --source-only  the source archive and the changes alone: nothing is compiled
  --verify       once more from a clone in a folder of another name, with another umask, time zone and language, and compare
  --work DIR     where it is built; it must not be there, and stays (otherwise a temporary folder, which goes)
  --jobs N       compilers at a time (all processors)

Exit codes: 0 made; 1 the tree is no release, or the second build is another; 2 wrong arguments; 3 a tool has failed.
"""
import argparse
import filecmp
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True  # a tree with more in it than the commit is no release
import archive  # noqa: E402
import tree  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the wheel is built with; the versions are those of the tests.
WHEEL_TOOLS = ("nanobind", "nanobind-backend", "scikit-build-core")
# Of the environment: what finds tools and the network. What changes a compilation (CXXFLAGS, CC, a launcher) stays outside.
KEPT = ("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
# The second build is somebody else's.
ELSEWHERE = {"TZ": "Asia/Kathmandu", "LANG": "C", "LC_ALL": "POSIX"}


def say(text):
    print(f"==> {text}", flush=True)


def kept(name):
    return name in KEPT or name.startswith("PIP_") or name.lower().endswith("_proxy")


class Build:
    """Everything that is compiled, from the source archive and from nothing else."""

    def __init__(self, release, out, work, jobs):
        self.release, self.out, self.work, self.jobs = release, out, work, jobs
        self.source = work / release.name
        self.build = work / "build"
        self.environment = {name: value for name, value in os.environ.items() if kept(name)}
        self.environment["SOURCE_DATE_EPOCH"] = str(release.date)

    def run(self, *command, quiet=False, **variables):
        # CPack and the wheel's builder write down how the umask has made their folders.
        subprocess.run([str(part) for part in command], check=True, cwd=self.work, env=self.environment | variables,
                       umask=0o022, stdout=subprocess.DEVNULL if quiet else None)

    def program(self):
        with tarfile.open(self.out / f"{self.release.name}.tar.gz") as files:
            files.extractall(self.work)
        say(f"Building the program in {self.build}")
        self.run("cmake", "--preset", "release", "-S", self.source, "-B", self.build, "-DKUMIKI_TESTS=OFF", "--log-level=NOTICE")
        self.run("cmake", "--build", self.build, "-j", self.jobs)

    def debian_package(self, *settings):
        say("The Debian package")
        packed = self.work / "packed"
        self.run("cpack", "-G", "DEB", "--config", self.build / "CPackConfig.cmake", "-B", packed, *settings, quiet=True)
        (package,) = packed.glob("kumiki_*.deb")
        shutil.copyfile(package, self.out / package.name)
        return self.out / package.name

    def primitives(self):
        say("The models of the primitives")
        prefix = self.work / "primitives"
        self.run("cmake", "--install", self.build, "--component", "primitives", "--prefix", prefix, quiet=True)
        name = f"kumiki-primitives-{self.release.version}"
        archive.pack(prefix / "share/kumiki-primitives", name, self.release.date, self.out / f"{name}.tar.gz")

    def wheel(self):
        say("The wheel")
        prefix, venv = self.work / "prefix", self.work / "venv"
        self.run("cmake", "--install", self.build, "--prefix", prefix, quiet=True)
        self.run(sys.executable, "-m", "venv", venv)
        lines = (self.source / "tests/python/requirements.txt").read_text().splitlines()
        pinned = [line for line in lines if line.partition("==")[0] in WHEEL_TOOLS]
        assert len(pinned) == len(WHEEL_TOOLS), pinned
        pip = (venv / "bin/pip", "--quiet", "--disable-pip-version-check")
        self.run(*pip, "install", *pinned)
        self.run(*pip, "wheel", self.source / "gen/python", "--no-deps", "--no-build-isolation", "--wheel-dir", self.out,
                 "--config-settings", f"build-dir={self.work / 'binding'}", CMAKE_PREFIX_PATH=str(prefix), CMAKE_GENERATOR="Ninja",
                 PATH=f"{venv / 'bin'}:{self.environment['PATH']}")
        return subprocess.check_output([venv / "bin/pip", "--disable-pip-version-check", "freeze"], text=True)

    def tools(self, python_packages):
        """What has built it: other versions may make other bytes."""
        lines = (self.source / "third_party/packages.txt").read_text().splitlines()
        names = [line.split(" | ")[0] for line in lines if line[:1] != "#" and "| tests: " not in line]
        names += ["binutils", "g++-12", "libc6-dev", "zlib1g"]
        installed = subprocess.run(["dpkg-query", "-W", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        python = f"python {platform.python_version()}\n"
        text = "".join(sorted(installed.splitlines(keepends=True))) + "\n" + python + python_packages
        (self.out / f"{self.release.name}.tools.txt").write_text(text)


def make(release, out, work, options):
    say(f"{release.name} of {release.commit}")
    archive.write(release.source_archive(), out / f"{release.name}.tar.gz")
    (out / f"{release.name}.changes.md").write_text(release.changes)
    if not options.source_only:
        build = Build(release, out, work, options.jobs)
        build.program()
        build.debian_package()
        build.primitives()
        build.tools(build.wheel())
    files = sorted(out.iterdir())
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (out / "SHA256SUMS").write_text(sums)
    for file in out.iterdir():
        file.chmod(0o644)


def made_elsewhere(release, out, work, options):
    """Whether a clone at another place makes the same bytes."""
    clone, second = work / "somebody-else" / "checkout-of-theirs", work / "second"
    say(f"Once more in {clone.parent}, with another umask, time zone and language")
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    # Work may have gone on meanwhile.
    subprocess.run(["git", "-C", clone, "checkout", "--quiet", "--detach", release.commit], check=True)
    arguments = [second, "--work", clone.parent / "their-own-folder", "--jobs", options.jobs]
    subprocess.run([sys.executable, clone / "tests/release/release.py", *map(str, arguments),
                    *(["--source-only"] if options.source_only else [])],
                   check=True, env=os.environ | ELSEWHERE, preexec_fn=lambda: os.umask(0o077))
    ours, theirs = (sorted(file.name for file in folder.iterdir()) for folder in (out, second))
    same, different, unread = filecmp.cmpfiles(out, second, ours, shallow=False)
    for name in different + unread + sorted(set(theirs) - set(ours)):
        print(f"{name}: not the same bytes in {out} and {second}")
    say(f"{len(same)} of {len(ours)} files are the same bytes")
    return ours == theirs == same


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "), add_help=False)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--source-only", action="store_true")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        sys.exit(0)
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"argument --jobs: {options.jobs} is less than 1")
    for folder in filter(None, (options.out, options.work)):
        if folder.exists():
            parser.error(f"{folder} is there already")
    return options


def main():
    options = arguments()
    try:
        release = tree.read(ROOT)
    except tree.Refused as refused:
        print("\n".join(f"release.py: {line}" for line in refused.args[0]), file=sys.stderr)
        return 1
    out = options.out.resolve()
    work = options.work.resolve() if options.work else pathlib.Path(tempfile.mkdtemp(prefix="kumiki-release-"))
    # Beside OUT until all of it is there.
    part = out.with_name(out.name + ".part")
    try:
        work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        make(release, part, work, options)
        if options.verify and not made_elsewhere(release, part, work, options):
            for folder, name in ((part, "first"), (work / "second", "second")):
                kept_folder = out.with_name(f"{out.name}.{name}")
                shutil.rmtree(kept_folder, ignore_errors=True)
                shutil.copytree(folder, kept_folder)
            print(f"release.py: two builds are not the same: {out}.first, {out}.second", file=sys.stderr)
            return 1
        part.rename(out)
    except subprocess.CalledProcessError as failed:
        print(f"release.py: exit code {failed.returncode}: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return 3
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)
    print((out / "SHA256SUMS").read_text(), end="")
    say(f"Made {out}. What is left: git tag -a {release.tag} {release.commit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
