"""What jobs depend on, and how it breaks: servers, file systems, quotas, licences, software. Runs as root in the pool."""
import http.server
import os
import socketserver
import subprocess
import threading
import time
from pathlib import Path

from causes import BUSY, FOLDERS, HOSTS, MISSING, MOUNTS, OWNERS, PORTAL, QUOTAS, REFUSED, RUNTIME, SERVICE, SHARES, SITES

PORT = 8080
# Behind /data: a file system is mounted by a link to it.
STORE = Path("/srv/store")
FLAGS = Path("/srv/services")
QUOTA = "6M"
PROJECT_QUOTA = "4M"
# Older results than this have been fetched, s.
RESULT_AGE = 4


class Refusable(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def server_bind(self):
        # Without the reverse look-up of http.server.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]


class World:
    def __init__(self):
        self.down = set()  # names of services in trouble
        self.status = {}  # (server, path) -> status of a URL that is answered with an error
        self.servers = {}
        self.quotas = []  # folders
        names = [service.name for service in REFUSED + MISSING + BUSY] + [PORTAL]
        self.address = {name: f"127.0.1.{number}" for number, name in enumerate(names, 1)}

    def build(self):
        with open("/etc/hosts", "a") as hosts:
            for name, address in self.address.items():
                hosts.write(f"{address} {name}\n")
        for service in MOUNTS + FOLDERS + SHARES:
            store = STORE / Path(service.name).name
            store.mkdir(parents=True, exist_ok=True)
            store.chmod(0o1777)
            Path("/data").mkdir(exist_ok=True)
            Path(service.name).symlink_to(store)
        for service in QUOTAS:
            self._limit(service.name, QUOTA)
        FLAGS.mkdir()
        for site, hosts in SITES.items():
            # What a site offers is behind /srv/site on its hosts (inside/site-startd).
            for folder in ("software", "extra") if site == "Lakeside" else ("software",):
                tool = Path("/srv/sites", site, folder, "bin", "tool")
                tool.parent.mkdir(parents=True)
                tool.symlink_to("/bin/sh")
            for host in hosts:
                Path("/srv/hosts", host).mkdir(parents=True, exist_ok=True)
        for service in RUNTIME + HOSTS:
            self._flag(service).touch()
        for name in self.address:
            self._serve(name)

    def _limit(self, folder, size):
        """A folder with a quota: a small file system."""
        if folder not in self.quotas:
            Path(folder).mkdir(parents=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=1777,size={size}", "tmpfs", folder], check=True)
            self.quotas.append(folder)

    def quota_of_project(self, folder):
        """A folder whose quota is too small for one large result."""
        self._limit(folder, PROJECT_QUOTA)
        return folder

    def _serve(self, name):
        world = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status = world.answer(name, self.path)
                body = b"0123456789abcdef\n" * 64 if status == 200 else b"error\n"
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = Refusable((self.address[name], PORT), Handler)
        self.servers[name] = server
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, name, path):
        if name in self.down and SERVICE[name].kind.startswith("status-"):
            return int(SERVICE[name].kind[-3:])
        owner = path.split("/")[1]
        if name == PORTAL and owner in OWNERS and f"credential of {owner}" in self.down:
            return 403
        return self.status.get((name, path), 200)

    @staticmethod
    def _flag(service):
        if service in HOSTS:
            return Path("/srv/hosts", service.name, "ok")
        return FLAGS / service.name.replace(" ", "-")

    def switch(self, name, down):
        """Breaks or mends a service."""
        service = SERVICE[name]
        (self.down.add if down else self.down.discard)(name)
        match service.kind:
            case "refused" if down:
                server = self.servers.pop(name)
                server.shutdown()
                server.server_close()
            case "refused":
                self._serve(name)
            case "mount" if down:
                os.unlink(name)
            case "mount":
                Path(name).symlink_to(STORE / Path(name).name)
            case "access":
                (STORE / Path(name).name).chmod(0o000 if down else 0o1777)
            case "quota" if down:
                subprocess.run(f"cat /dev/zero >{name}/filler 2>/dev/null", shell=True, check=False)
            case "quota":
                os.unlink(f"{name}/filler")
            case "flag" | "host" if down:
                self._flag(service).unlink()
            case "flag" | "host":
                self._flag(service).touch()
            case "software":
                site = Path("/srv/sites", name.rsplit(" ", 1)[-1])
                there, gone = site / "software", site / "software.gone"
                (there.rename(gone) if down else gone.rename(there))

    def sweep(self):
        """Takes fetched results away."""
        for folder in self.quotas:
            for entry in os.scandir(folder):
                if entry.name.endswith(".dat") and time.time() - entry.stat().st_mtime > RESULT_AGE:
                    os.unlink(entry.path)
