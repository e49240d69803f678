"""A loopback HTTP server that answers by a script: refusals which a healthy product gives only rarely."""

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

TAKEN = {"accepted": 1, "duplicates": 0, "rejected": 0, "errors": []}


class Reply(NamedTuple):
    """One answer; a status of 0 closes the connection without one."""

    status: int
    headers: dict[str, str] = {}
    body: Any = TAKEN


class Request(NamedTuple):
    """One request that came in."""

    path: str
    token: str
    port: int  # of the client: the same for all requests of one connection
    body: Any


class Scripted(ThreadingHTTPServer):
    """Answers with its replies in turn, and with 200 after them."""

    daemon_threads = True

    def __init__(self, replies: list[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = replies
        self.requests: list[Request] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Reads one request whole and answers by the script."""

    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        token = self.headers["Authorization"].removeprefix("Bearer ")
        self.server.requests.append(Request(self.path, token, self.client_address[1], json.loads(body)))
        reply = self.server.replies.pop(0) if self.server.replies else Reply(200)
        if reply.status == 0:
            self.close_connection = True
            return
        answer = json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(answer))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def scripted(*replies: Reply) -> Iterator[Scripted]:
    """A server that runs while the block does."""
    server = Scripted(list(replies))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
