# SPDX-License-Identifier: Apache-2.0
"""Archives that are the same bytes for the same files: in order, of owner 0, with one date, readable by everybody."""
import gzip
import io
import tarfile


def write(tar, path):
    """Without a name and a time in the head of the compressed file."""
    path.write_bytes(gzip.compress(tar, compresslevel=9, mtime=0))


def pack(folder, name, date, path):
    """The files of `folder` as `name`/..., all of date `date`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as files:
        for file in sorted(folder.rglob("*")):
            if file.is_dir():
                continue
            entry = tarfile.TarInfo(f"{name}/{file.relative_to(folder).as_posix()}")
            entry.size, entry.mtime = file.stat().st_size, date
            entry.mode = 0o755 if file.stat().st_mode & 0o100 else 0o644
            with file.open("rb") as content:
                files.addfile(entry, content)
    write(data.getvalue(), path)
