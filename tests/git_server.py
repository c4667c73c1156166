"""Real git as the other side: repositories made with the `git` program, served by `git http-backend`.

with hosting(tmp_path) as host:
    origin = host.create("docs.git", {"README.md": b"# Hello\n"})
    ...  # origin.url is "http://127.0.0.1:PORT/docs.git"
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from app.kit.http.outbound import Outbound
from tests.local_server import Answer, Handler, Request, port_of, serve

_AS = {"NAME": "Ada Writer", "EMAIL": "ada@example.org", "DATE": "1700000000 +0000"}
ENVIRONMENT = {
    **{f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in _AS.items()},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "PATH": os.environ["PATH"],
}


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in a folder; its output. Fails with what git said."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=stdin, env=ENVIRONMENT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@dataclass(frozen=True, slots=True)
class Origin:
    """A bare repository, and the address it is served at."""

    path: Path
    url: str

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git in the repository."""
        return git(self.path, *arguments, stdin=stdin)

    def blob(self, content: bytes) -> str:
        """Store bytes; gives their id."""
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def objects(self) -> int:
        """Return how many objects it holds."""
        return len(self.git("cat-file", "--batch-all-objects", "--batch-check").splitlines())

    def odd_tree(self, *entries: tuple[str, bytes, str]) -> str:
        """Store a tree with these entries (mode, name, id) as they are; gives its id."""
        raw = b"".join(
            b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(oid)) for mode, name, oid in entries
        )
        return self.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)

    def tree(self, *lines: str) -> str:
        """Store a tree of `mode type id<TAB>name` lines; gives its id."""
        return self.git("mktree", "--missing", "-z", stdin="".join(f"{line}\0" for line in lines).encode())

    def commit(
        self,
        files: Mapping[str, bytes],
        *,
        links: Mapping[str, bytes] = MappingProxyType({}),
        branch: str = "main",
        message: str = "Words",
    ) -> str:
        """Commit exactly these files and symbolic links to a branch, after what it has; gives its id."""
        stream = [
            f"commit refs/heads/{branch}\ncommitter Ada Writer <ada@example.org> 1700000000 +0000\n".encode()
        ]
        stream.append(b"data %d\n%s\n" % (len(message.encode()), message.encode()))
        if self.tip(branch):
            stream.append(f"from refs/heads/{branch}^0\n".encode())
        stream.append(b"deleteall\n")
        entries = [(b"100644", *each) for each in files.items()]
        entries += [(b"120000", *each) for each in links.items()]
        for mode, path, content in entries:
            stream.append(b"M %s inline %s\ndata %d\n%s\n" % (mode, path.encode(), len(content), content))
        self.git("fast-import", "--quiet", stdin=b"".join(stream))
        return self.tip(branch)

    def commit_tree(self, tree: str, *, branch: str = "main") -> str:
        """Commit a stored tree to a branch; gives the commit's id."""
        commit = self.git("commit-tree", tree, "-m", "Odd")
        self.git("update-ref", f"refs/heads/{branch}", commit)
        return commit

    def tip(self, branch: str = "main") -> str:
        """The commit a branch is at, empty when there is no such branch."""
        return self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    def files(self, ref: str = "main", mode: str = "") -> dict[str, bytes]:
        """Return the files that git itself finds in a commit: all, or those of this mode."""
        listed = self.git("ls-tree", "-r", "-z", ref).split("\0")
        paths = [line.partition("\t")[2] for line in listed if line.startswith(mode)]
        return {path: self.content(ref, path) for path in paths if path}

    def content(self, ref: str, path: str) -> bytes:
        """One file's bytes, by git."""
        shown = ["git", "cat-file", "blob", f"{ref}:{path}"]
        return subprocess.run(shown, cwd=self.path, env=ENVIRONMENT, capture_output=True, check=True).stdout


@dataclass(slots=True)
class Host:
    """A server of repositories. `login` is the `Authorization` it wants, `requests` what it was asked."""

    root: Path
    base: str = ""
    login: str | None = None
    requests: list[Request] = field(default_factory=list)
    routes: dict[str, Answer | Handler] = field(default_factory=dict)

    def create(self, name: str = "docs.git", files: Mapping[str, bytes] | None = None) -> Origin:
        """A new repository that takes pushes, with one commit on `main` when there are files."""
        path = self.root / name
        path.mkdir(parents=True)
        git(path, "init", "--quiet", "--bare", "--initial-branch=main", ".")
        git(path, "config", "http.receivepack", "true")
        git(path, "config", "uploadpack.allowFilter", "true")
        origin = Origin(path, f"{self.base}/{name}")
        if files is not None:
            origin.commit(files)
        return origin

    @property
    def outbound(self) -> Outbound:
        """A client that may reach this server although its address is private."""
        return Outbound(allow=frozenset({("127.0.0.1", port_of(self.base))}))

    def answer(self, request: Request) -> Answer:
        """Return the answer of `git http-backend`."""
        self.requests.append(request)
        if self.login is not None and request.headers.get("authorization") != self.login:
            return 401, {"www-authenticate": 'Basic realm="docs"'}, b"who are you"
        environment = {
            **ENVIRONMENT,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path,
            "QUERY_STRING": request.query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(request.body)),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_USER": "ada",
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=environment, input=request.body, capture_output=True, check=False
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        return status, headers, body


@contextmanager
def hosting(root: Path) -> Iterator[Host]:
    """Serve repositories below a folder until the block ends."""
    host = Host(root)
    host.routes["/*"] = host.answer
    with serve(host.routes) as base:
        host.base = base
        yield host
