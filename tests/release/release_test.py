#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command that makes a release: what it refuses, that its source archive is the commit, the same bytes from a clone of
somebody else, and enough to build from without git; that this build is packed to the same bytes by two. With KUMIKI_LONG=1
everything is built twice and compared.

usage: release_test.py ROOT BUILD WORK
"""
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
import release  # noqa: E402
import tree  # noqa: E402

problems = []
DATE = 1700000000
# Nobody's settings of git; a name for commits.
ENVIRONMENT = os.environ | {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "e",
    "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "e", "GIT_AUTHOR_DATE": f"{DATE} +0545", "GIT_COMMITTER_DATE": f"{DATE} +0545"}


def expect(right, what):
    if not right:
        problems.append(what)


def run(*command, status=0, **options):
    """What it says; its exit code is expected."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **({"env": ENVIRONMENT} | options))
    expect(done.returncode == status, f"{' '.join(map(str, command))}: exit {done.returncode}, not {status}\n{done.stdout[-3000:]}")
    return done.stdout


def linked(one, other):
    """Three thousand files that nobody changes."""
    try:
        os.link(one, other)
    except OSError:
        shutil.copy2(one, other)


def commit(folder):
    """All that is there as one commit."""
    run("git", "init", "--quiet", folder)
    run("git", "-C", folder, "config", "core.compression", "0")
    run("git", "-C", folder, "add", "--all")
    run("git", "-C", folder, "commit", "--quiet", "--message", "all")


def refusals(here, work):
    """A small repository with one thing wrong at a time."""
    def small(name, version="1.2.3", changes="# What changed\n\n## 1.2.3\n\n- All.\n\n## 1.2.2\n\n- Before.\n"):
        folder = work / name
        (folder / "tests").mkdir(parents=True)
        shutil.copytree(here, folder / "tests/release")
        (folder / "CMakeLists.txt").write_text(f"project(Kumiki VERSION {version} LANGUAGES CXX)\n")
        (folder / "CHANGELOG.md").write_text(changes)
        commit(folder)
        return folder

    def refused(folder, *words, status=1, arguments=()):
        out = work / "refused"
        said = run(folder / "tests/release/release.py", out, "--source-only", *arguments, status=status)
        for word in words:
            expect(word in said, f"{folder.name}: does not say '{word}': {said}")
        expect(not list(work.glob("refused*")), f"{folder.name}: refused, but something is there")

    refused(small("no-section", "1.2.4"), "CHANGELOG.md has no section ## 1.2.4", "1.2.3, 1.2.2")
    refused(small("older-first", "1.2.2"), "the first section of CHANGELOG.md is 1.2.3")
    refused(small("empty", changes="## 1.2.3\n\n## 1.2.2\n"), "section ## 1.2.3 of CHANGELOG.md is empty")
    refused(small("no-version", "1.2"), "CMakeLists.txt has no line project(Kumiki VERSION")
    dirty = small("dirty", "1.2.4")
    (dirty / "new.txt").write_text("new\n")
    (dirty / "CHANGELOG.md").write_text("## 1\n")
    refused(dirty, "the tree is not the commit: CHANGELOG.md, new.txt (2 in all)", "has no section ## 1.2.4")
    no_git = work / "no-git"
    shutil.copytree(dirty, no_git, ignore=shutil.ignore_patterns(".git"))
    refused(no_git, "is no checkout of git")
    tagged = small("tagged")
    run("git", "-C", tagged, "tag", "-a", "-m", "t", "v1.2.3")
    run("git", "-C", tagged, "commit", "--quiet", "--allow-empty", "--message", "more")
    refused(tagged, "the tag v1.2.3 is commit ", "another commit is another version")
    refused(tagged, "is less than 1", status=2, arguments=("--jobs", "0"))
    # The commit of the tag itself is that release; its folder is made once.
    run("git", "-C", tagged, "checkout", "--quiet", "v1.2.3")
    said = run(tagged / "tests/release/release.py", work / "of-tag", "--source-only")
    expect("git tag -a v1.2.3" in said, said)
    changes = (work / "of-tag/kumiki-1.2.3.changes.md").read_text()
    expect(changes == "# Kumiki 1.2.3\n\n- All.\n", changes)
    expect("is there already" in run(tagged / "tests/release/release.py", work / "of-tag", "--source-only", status=2), "made twice")
    # A release that tells where it was made is found out.
    tells = small("tells")
    file = tells / "tests/release/tree.py"
    file.write_text(file.read_text().replace('f"# Kumiki {version}', 'f"# {root}, {version}'))
    commit(tells)
    said = run(tells / "tests/release/release.py", work / "two", "--source-only", "--verify", status=1)
    expect("kumiki-1.2.3.changes.md: not the same bytes" in said and "1 of 3 files" in said, said)
    expect(sorted(f.name for f in work.glob("two*")) == ["two.first", "two.second"], "both are not there to look at")


def of_commit(folder, out, version):
    """The archive holds the files of the commit and no others, and nothing of who made it."""
    path = out / f"kumiki-{version}.tar.gz"
    data = path.read_bytes()
    expect(data[3:8] == bytes(5), f"the head of the archive has a name or a time: {data[:10]}")
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as archive:
        files = [entry for entry in archive if not entry.isdir()]
        expect(all((f.uid, f.gid, f.mtime) == (0, 0, DATE) for f in archive), "an entry with an owner or another date")
        listed = run("git", "-C", folder, "ls-files").splitlines()
        expect([f"kumiki-{version}/{name}" for name in listed] == [f.name for f in files] and len(files) > 1000, "other files than git's")
        modes = {f.name.split("/", 1)[1]: f.mode for f in files}
        expect((modes["demo"], modes["README.md"]) == (0o755, 0o644), f"modes {modes['demo']:o} {modes['README.md']:o}")
    sums = dict(line.split("  ")[::-1] for line in (out / "SHA256SUMS").read_text().splitlines())
    there = {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in out.iterdir() if f.name != "SHA256SUMS"}
    expect(sums == there and path.name in sums, f"SHA256SUMS: {sums}, there: {there}")


def builds(archive, version, work):
    """Configured and begun to be built from the archive, where git does not answer."""
    folder = work / "unpacked"
    folder.mkdir()
    run("tar", "-xf", archive, "-C", folder)
    (folder / "bin").mkdir()
    (folder / "bin/git").write_text(f"#!/bin/sh\ntouch {folder}/git-was-called\nexit 1\n")
    (folder / "bin/git").chmod(0o755)
    environment = ENVIRONMENT | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    build = folder / "build"
    run("cmake", "--preset", "release", "-S", folder / f"kumiki-{version}", "-B", build, "-DKUMIKI_TESTS=OFF", env=environment)
    steps = run("ninja", "-C", build, "-t", "commands", "kumiki", env=environment)
    expect(" -o kumiki " in steps and steps.count(" -c ") > 50, steps[-2000:])
    run("cmake", "--build", build, "--target", "kumiki_templates", env=environment)
    expect((build / "templates/libkumiki_templates.a").stat().st_size > 100_000, "a library without the templates")
    expect(not (folder / "git-was-called").exists(), "git is called while building")


def packed(build, folder, umask, elsewhere):
    """The Debian package of this build, as one of two people makes it. Without what it depends on, which house.package looks at
    and which takes most of the time to find."""
    folder.mkdir(parents=True)
    (folder / "out").mkdir()
    before = os.environ.copy()
    os.environ.update(elsewhere)
    one = release.Build(tree.Release(None, "1.2.3", "", DATE, ""), folder / "out", folder, 1)
    one.build = build
    old = os.umask(umask)
    package = one.debian_package("-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF")
    os.umask(old)
    os.environ.clear()
    os.environ.update(before)
    return package


def packed_by_two(build, work):
    """Nothing of time zone, language, umask, folder and clock is in the package."""
    one = packed(build, work / "one", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8"})
    time.sleep(1)  # times are whole seconds
    other = packed(build, work / "another-folder", 0o077, release.ELSEWHERE)
    expect(one.read_bytes() == other.read_bytes() and one.stat().st_size > 1_000_000, "packed twice, it is not the same bytes")
    listed = run("dpkg-deb", "--contents", one, env=ENVIRONMENT | {"TZ": "UTC"}).splitlines()
    seen = re.compile(r"(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x) root/root +\d+ 2023-11-14 22:13 \./")
    strange = [line for line in listed if not seen.match(line)]
    expect(not strange and len(listed) > 500, f"not of root, of that date and for everybody: {strange[:3]}")


def main():
    root, build, work = map(pathlib.Path, sys.argv[1:4])
    if not shutil.which("git"):
        print("NOT TESTED: the release: package git is missing")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    refusals(root / "tests/release", work)
    packed_by_two(build, work / "packed")
    # As the tree is now, committed or not.
    folder = work / "tree"
    shutil.copytree(root, folder, copy_function=linked, ignore=shutil.ignore_patterns(".git", "build", ".cache", "out", "__pycache__"))
    commit(folder)
    version = run("sed", "-n", r"s/^project(Kumiki VERSION \([0-9.]*\) .*/\1/p", folder / "CMakeLists.txt").strip()
    command = folder / "tests/release/release.py"
    whole = bool(os.environ.get("KUMIKI_LONG"))
    print(run(command, work / "out", "--verify", *([] if whole else ["--source-only"])))
    if problems:
        sys.exit("\n".join(problems))
    of_commit(folder, work / "out", version)
    builds(work / "out" / f"kumiki-{version}.tar.gz", version, work)
    made = sorted(file.suffix for file in (work / "out").iterdir())
    expect(made == sorted(["", ".gz", ".md"] + ([".deb", ".gz", ".txt", ".whl"] if whole else [])), f"made: {made}")
    if problems:
        sys.exit("\n".join(problems))
    shutil.rmtree(work)
    return 0


sys.exit(main())
