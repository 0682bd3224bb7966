# SPDX-License-Identifier: Apache-2.0
"""What a checkout says of the release that it would be: version, date, changes; and why it would be none."""
import pathlib
import re
import subprocess
import typing


class Refused(Exception):
    """Everything that is wrong, a sentence each."""


class Release(typing.NamedTuple):
    root: pathlib.Path
    version: str  # "0.1.0"
    commit: str
    date: int  # of the commit, in seconds
    changes: str  # its part of CHANGELOG.md

    @property
    def name(self):
        return f"kumiki-{self.version}"

    @property
    def tag(self):
        return f"v{self.version}"

    def source_archive(self):
        """A tar of the commit: in the order of its names, of owner 0, with the commit's date; nobody's settings of git."""
        return git(self.root, "-c", "tar.umask=0022", "-c", "core.autocrlf=false", "-c", "core.eol=lf", "archive", "--format=tar",
                   f"--prefix={self.name}/", self.commit)


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], check=True, stdout=subprocess.PIPE).stdout


def lines(root, *arguments):
    return git(root, *arguments).decode().splitlines()


def version_of(root):
    """The one place of it; None when it is not there."""
    match = re.search(r"^project\(Kumiki VERSION (\d+\.\d+\.\d+)\b", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    return match and match[1]


def sections(text):
    """Version -> what changed, in the order of the page."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return {title.strip(): body.strip() for title, body in zip(parts[1::2], parts[2::2])}


def read(root):
    """The release of the commit that is checked out; Refused with every reason."""
    try:
        (commit,) = lines(root, "rev-parse", "--verify", "HEAD^{commit}")
        if lines(root, "rev-parse", "--show-prefix") != [""]:
            raise FileNotFoundError  # a folder in somebody else's
    except (subprocess.CalledProcessError, FileNotFoundError):
        raise Refused([f"{root} is no checkout of git with a commit: a release is made of one"]) from None
    problems = []
    if changed := lines(root, "status", "--porcelain", "--untracked-files=all"):
        named = ", ".join(line[3:] for line in changed[:5]) + (", …" if len(changed) > 5 else "")
        problems.append(f"the tree is not the commit: {named} ({len(changed)} in all): commit, ignore or remove them")
    version = version_of(root)
    changes = sections((root / "CHANGELOG.md").read_text())
    if not version:
        problems.append("CMakeLists.txt has no line project(Kumiki VERSION N.N.N")
    elif version not in changes:
        problems.append(f"CHANGELOG.md has no section ## {version}, the version of CMakeLists.txt; it has {', '.join(changes) or 'none'}")
    elif not changes[version]:
        problems.append(f"the section ## {version} of CHANGELOG.md is empty")
    elif next(iter(changes)) != version:
        problems.append(f"the first section of CHANGELOG.md is {next(iter(changes))}, the version of CMakeLists.txt {version}")
    if version and lines(root, "tag", "--list", f"v{version}"):
        (tagged,) = lines(root, "rev-parse", f"v{version}^{{commit}}")
        if tagged != commit:
            problems.append(f"the tag v{version} is commit {tagged[:12]}, not {commit[:12]}: another commit is another version")
    if problems:
        raise Refused(problems)
    (date,) = lines(root, "log", "-1", "--format=%ct", commit)
    return Release(root, version, commit, int(date), f"# Kumiki {version}\n\n{changes[version]}\n")
