"""What jobs depend on, and how it breaks: servers, file systems, quotas, licences, software. Runs as root in the pool."""
import fcntl
import http.server
import os
import socket
import socketserver
import struct
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
# Where a server has one address only, and where it has one for whoever asks: the access point and each site have a hosts file of
# their own (inside/site-startd). No loopback addresses: a check may well refuse those.
ONE_VIEW = {"": "127.0.1"}
VIEWS = {"AP": "198.51.100", "Lakeside": "203.0.113", "Hilltop": "192.0.2"}
# A server that never answers lets go after, s.
SLOW = 300
# Small file systems that record-checks has mounted before the execution points began.
DISKS = Path("/srv/disks")


class Refusable(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def server_bind(self):
        # Without the reverse look-up of http.server.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]


def add_network(number, prefix):
    """Addresses PREFIX.1 to PREFIX.254 on the loopback (iproute2 is not installed)."""
    set_address, set_mask = 0x8916, 0x891C
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for request, address in ((set_address, f"{prefix}.1"), (set_mask, "255.255.255.0")):
            name = f"lo:{number}".encode()
            parts = struct.pack("16sHH4s8x", name, socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, request, parts)


class World:
    SITES = SITES

    def __init__(self, views=ONE_VIEW):
        self.views = views
        self.down = set()  # names of services in trouble
        self.status = {}  # (server, path) -> status of a URL that is answered with an error
        self.told = {}  # (view, server, path or None) -> what a module of causes lets it answer
        self.servers = {}  # (view, server)
        self.quotas = []  # folders
        self.disks = 0
        self.names = [service.name for service in REFUSED + MISSING + BUSY] + [PORTAL]

    def build(self):
        if self.views is not ONE_VIEW:
            for number, prefix in enumerate(self.views.values(), 1):
                add_network(number, prefix)
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
        for name in list(self.names):
            self._name(name)
            self._serve(name)

    def address(self, view, name):
        return f"{self.views[view]}.{self.names.index(name) + 1}"

    def _name(self, name):
        """Makes a server known on the machines that see it."""
        for view in self.views:
            with open("/etc/hosts" if view in ("", "AP") else f"/etc/hosts.{view}", "a") as hosts:
                hosts.write(f"{self.address(view, name)} {name}\n")

    # What modules of causes ask for (kit.py).

    def server(self, name):
        if name not in self.names:
            self.names.append(name)
            self._name(name)
            self._serve(name)

    def answer(self, server, path, status, at=tuple(VIEWS)):
        self.server(server)
        for view in at:
            if status == 200:
                self.told.pop((view, server, path), None)
            else:
                self.told[view, server, path] = status
            if path is None and status == "refused":
                self._close(view, server)
            elif path is None:
                self._open(view, server)

    def disk(self, path, size):
        """A small file system that all machines see."""
        if Path(path).is_symlink():
            return
        self.disks += 1
        disk = DISKS / str(self.disks)
        subprocess.run(["mount", "-o", f"remount,mode=1777,size={size}", disk], check=True)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).symlink_to(disk)

    def site(self, site):
        return Path("/srv/sites", site)

    def host(self, host):
        return Path("/srv/hosts", host)

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
        for view in self.views:
            self._open(view, name)

    def _open(self, view, name):
        world = self
        if (view, name) in self.servers:
            return

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status = world.reply(view, name, self.path)
                if status == "slow":
                    time.sleep(SLOW)
                    return
                body = b"0123456789abcdef\n" * 64 if status == 200 else b"error\n"
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = Refusable((self.address(view, name), PORT), Handler)
        self.servers[view, name] = server
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def _close(self, view, name):
        server = self.servers.pop((view, name), None)
        if server:
            server.shutdown()
            server.server_close()

    def reply(self, view, name, path):
        for key in ((view, name, path), (view, name, None)):
            if key in self.told:
                return self.told[key]
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
            case "kit":
                (service.begin if down else service.end)(self, service.place)
            case "refused" if down:
                for view in self.views:
                    self._close(view, name)
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
