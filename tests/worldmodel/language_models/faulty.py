"""A server on this machine that answers as it is told, and fails as servers do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

SECRET = "sk-not-to-be-seen-anywhere"


class Faulty(BaseHTTPRequestHandler):
    """Answers as `answers` says, one after another, and keeps the requests."""

    answers: list[tuple[int, Any]] = []
    asked: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append({**json.loads(body), "key": self.headers["Authorization"]})
        status, answer = self.answers.pop(0) if self.answers else (200, said("late"))
        time.sleep(answer.pop("sleep", 0))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *args: Any) -> None:
        pass


def said(text: str, sleep: float = 0.0) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice],
            "usage": usage, "sleep": sleep}  # fmt: skip


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Faulty]]:
    Faulty.answers, Faulty.asked = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setattr("worldmodel.language_models.server.PAUSE", 0.01)
    yield Faulty
    server.shutdown()
    server.server_close()
