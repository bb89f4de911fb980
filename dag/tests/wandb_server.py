"""As much of a Weights & Biases server as its client needs to send runs to: no artifacts, no files, no users."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server:
    """Listens on a free port of the loopback. `runs`: of each id the lines of its history, its summary and configuration."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, Any]] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                answer = {}  # to what is said of the client itself
                if self.path.endswith("/file_stream"):
                    answer = server.stream(self.path.split("/")[-2], json.loads(body).get("files") or {})
                elif self.path == "/graphql":
                    asked = json.loads(body)
                    answer = server.answer(asked.get("operationName"), asked.get("variables") or {})
                sent = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def history(self, run: str) -> list[dict[str, Any]]:
        """The rows of a run, in order."""
        lines = self.runs[run]["lines"]
        return [json.loads(lines[at]) for at in sorted(lines)]

    def stream(self, run: str, files: dict[str, Any]) -> dict[str, Any]:
        """Lines go where their offset says, over what was there."""
        of = self.runs[run]
        history = files.get("wandb-history.jsonl")
        if history:
            of["lines"].update(enumerate(history["content"], history["offset"]))
        if "wandb-summary.json" in files:
            of["summary"] = files["wandb-summary.json"]["content"][-1]
        return {}

    def answer(self, operation: str | None, of: dict[str, Any]) -> dict[str, Any]:
        """The answer to a GraphQL request."""
        owner = {"id": "o", "name": "owner"}
        if operation == "Viewer":
            return {"data": {"viewer": {"id": "u", "username": "owner", "entity": "owner", "flags": "{}", "teams": {"edges": []}}}}
        if operation == "UpsertBucket":
            run = self.runs.setdefault(of["name"], {"lines": {}, "summary": "{}", "config": {}})
            run["config"].update(json.loads(of.get("config") or "{}"))
            project = {"id": "p", "name": of["project"], "entity": owner}
            return {"data": {"upsertBucket": {"bucket": {"id": of["name"], "name": of["name"], "project": project}, "inserted": True}}}
        if operation == "RunResumeStatus":
            bucket, run = None, self.runs.get(of["name"])
            if run:
                bucket = {
                    "id": of["name"],
                    "name": of["name"],
                    "summaryMetrics": run["summary"],
                    "config": json.dumps(run["config"]),
                    "wandbConfig": '{"t":{}}',
                    "historyLineCount": len(run["lines"]),
                    "historyTail": json.dumps([json.dumps(row) for row in self.history(of["name"])[-1:]]),
                    "eventsLineCount": 0,
                    "eventsTail": "[]",
                    "logLineCount": 0,
                }
            return {"data": {"model": {"id": "p", "name": of["project"], "entity": owner, "bucket": bucket}}}
        return {"data": None, "errors": [{"message": f"no {operation} here"}]}
