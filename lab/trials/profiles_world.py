"""The world outside of a measured script: a DNS server, web servers and TLS of its own authority.

    profiles_world.py FOLDER    FOLDER gets ca.pem (the authority's certificate) and a file `ready`

Every name has the world's address. Every path of every host is answered: its extension says what
with. Its digest says how long (10 KB to 200 MB, log-uniform), unless its name does (100MB.bin);
pages, pictures and answers of programs are shorter.
"""

import datetime
import gzip
import hashlib
import io
import json
import random
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADDRESS = "10.77.0.1"
PORTS = [80, 3000, 5000, 8000, 8080, 9000]
TLS_PORTS = [443, 8443]
MIB = 1 << 20
noise = random.Random(1)
NOISE = noise.randbytes(MIB)


# ---------------------------------------------------------------- contents
def length_of(path, low=10_000, high=200_000_000):
    stated = re.search(
        r"(?<![a-z0-9])(\d{1,4})[-_ ]?([kmg])i?b?(?![a-z0-9])", path.rsplit("/", 1)[-1].lower()
    )
    if stated:  # 100MB.bin
        return min(int(stated[1]) << {"k": 10, "m": 20, "g": 30}[stated[2]], 4 << 30)
    share = int.from_bytes(hashlib.sha256(path.encode()).digest()[:7], "big") / (1 << 56)
    return int(low * (high / low) ** share)


class Body:
    """`head`, `block` as often as `times`, `tail`: a long answer that takes no memory."""

    def __init__(self, kind, head=b"", block=b"", times=0, tail=b""):
        self.kind, self.head, self.block, self.times, self.tail = kind, head, block, times, tail
        self.length = len(head) + len(block) * times + len(tail)

    def pieces(self, first, last):
        """The bytes `first` to `last` (not included)."""
        start = 0
        parts = [(self.head, 1), (self.block, self.times), (self.tail, 1)]
        for part, times in parts:
            size = len(part)
            end = start + size * times
            at = max(first, start)
            while size and at < min(last, end):
                offset = (at - start) % size
                take = min(size - offset, min(last, end) - at)
                yield memoryview(part)[offset : offset + take]
                at += take
            start = end


def text_block(line, size=MIB):
    rows = random.Random(line(random.Random(0)))
    out = io.StringIO()
    while out.tell() < size:
        out.write(line(rows))
    return out.getvalue().encode()


WORDS = (
    "data table result sample value region country year model average network station report "
    "history people energy water temperature market index river city the of and in to a is for on"
).split()


def prose(rows):
    return " ".join(rows.choice(WORDS) for _ in range(12)) + ".\n"


def csv_row(rows):
    return (
        f"{rows.randrange(10 ** 6)},2024-{rows.randrange(1, 13):02}-{rows.randrange(1, 29):02},"
        f"{rows.choice(WORDS)},{rows.gauss(50, 20):.4f},{rows.random():.6f},{rows.randrange(100)},"
        f"{rows.choice('abc')}\n"
    )


def fasta(rows):
    return f">seq{rows.randrange(10 ** 9)} sample\n" + "".join(
        "".join(rows.choices("ACGT", k=70)) + "\n" for _ in range(8)
    )


def fastq(rows):
    return (
        f"@read{rows.randrange(10 ** 9)}/1\n{''.join(rows.choices('ACGT', k=100))}\n+\n"
        f"{''.join(rows.choices('FFFFF:,#', k=100))}\n"
    )


def record(rows):
    return json.dumps(
        {
            "id": rows.randrange(10**6),
            "name": rows.choice(WORDS),
            "title": prose(rows).strip(),
            "value": round(rows.gauss(50, 20), 4),
            "date": "2024-05-01",
            "tags": rows.sample(WORDS, 2),
            "url": f"https://example.org/data/{rows.randrange(100)}.csv",
        }
    )


HEADS = {"csv": b"id,date,name,value,score,count,group\n"}
TEXTS = {
    "csv": csv_row,
    "tsv": lambda rows: csv_row(rows).replace(",", "\t"),
    "fa": fasta,
    "fasta": fasta,
    "fna": fasta,
    "fastq": fastq,
    "fq": fastq,
    "txt": prose,
    "md": prose,
    "log": prose,
    "dat": csv_row,
    "vcf": lambda rows: f"chr{rows.randrange(1, 23)}\t{rows.randrange(10 ** 8)}\t.\tA\tG\t50\n",
    "gff": lambda rows: f"chr1\tsrc\tgene\t{rows.randrange(10 ** 7)}\t99999999\t.\t+\t.\tID=g\n",
    "jsonl": lambda rows: record(rows) + "\n",
    "pdb": lambda rows: f"ATOM  {rows.randrange(99999):5}  CA  ALA A{rows.randrange(999):4}    "
    + "".join(f"{rows.gauss(0, 20):8.3f}" for _ in "xyz")
    + "  1.00  0.00           C  \n",
}
blocks, blocks_lock = {}, threading.Lock()


def block(kind, make):
    with blocks_lock:
        if kind not in blocks:
            blocks[kind] = make()
        return blocks[kind]


def text(kind, size):
    head, part = HEADS.get(kind, b""), block(kind, lambda: text_block(TEXTS[kind]))
    if size < len(part):
        return Body("text/plain", head, part[: part.rfind(b"\n", 0, size) + 1], 1)
    return Body("text/plain", head, part, size // len(part))


def raw(data, level, last=False):
    """Deflated, so that more of it can follow."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH)


def gzipped(name, head, part, times, tail, level):
    """One gzip member; `name` is that of its block."""

    def digest():
        crc = zlib.crc32(head)
        for _ in range(times):
            crc = zlib.crc32(part, crc)
        return zlib.crc32(tail, crc)

    packed = block(name, lambda: raw(part, level))
    crc = block(f"crc {name} {times} {head!r}", digest)
    size = len(head) + len(part) * times + len(tail)
    end = raw(tail, 6, True) + struct.pack("<II", crc, size & 0xFFFFFFFF)
    return Body(
        "application/gzip", b"\x1f\x8b\x08" + bytes(6) + b"\3" + raw(head, 6), packed, times, end
    )


def gz(kind, size):
    """Of a text; `size` is that of the packed form, about."""
    part, head = text(kind, 4 * MIB).block, HEADS.get(kind, b"")
    times = size // len(block("gz " + kind, lambda: raw(part, 6)))
    if times:
        return gzipped("gz " + kind, head, part, times, b"", 6)
    inner = text(kind, size * 3)
    return Body("application/gzip", gzip.compress(inner.head + inner.block * inner.times, mtime=0))


def tar_header(name, size, kind=b"0"):
    out = bytearray(512)
    out[: len(name)] = name.encode()
    out[100:108], out[108:116], out[116:124] = b"0000644\0", b"0001750\0", b"0001750\0"
    out[124:136], out[136:148] = f"{size:011o}\0".encode(), b"14000000000\0"
    out[148:156], out[156:157], out[257:265] = b" " * 8, kind, b"ustar\x0000"
    out[148:156] = f"{sum(out):06o}\0 ".encode()
    return bytes(out)


def tar(stem, size, packed):
    times = max(1, size // MIB)
    part = NOISE if size >= MIB else NOISE[: size // 512 * 512 or 512]
    readme = b"Data of this release.\n"
    head = (
        tar_header(f"{stem}/", 0, b"5")
        + tar_header(f"{stem}/README", len(readme))
        + readme.ljust(512, b"\0")
        + tar_header(f"{stem}/data.bin", len(part) * times)
    )
    tail = bytes(1024)
    if packed:
        return gzipped(f"tar {len(part)}", head, part, times, tail, 0)
    return Body("application/x-tar", head, part, times, tail)


def archive(stem, size):
    times = max(1, size // MIB)
    part = NOISE if size >= MIB else NOISE[: size or 1]
    digest = 0
    for _ in range(times):
        digest = zlib.crc32(part, digest)
    name, total = f"{stem}/data.bin".encode(), len(part) * times
    rest = struct.pack("<HHHHIIIHH", 0, 0, 0, 0x5821, digest, total, total, len(name), 0)
    head = b"PK\x03\x04" + struct.pack("<H", 20) + rest + name
    central = (
        b"PK\x01\x02"
        + struct.pack("<HH", 20, 20)
        + rest
        + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, 0)
        + name
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(head) + total, 0)
    return Body("application/zip", head, part, times, central + end)


def picture(kind, size):
    size = min(size, 20_000_000)
    side = 64
    while side * side * 3 < size:
        side = int(side * 1.3)
    if kind == "png":
        rows = b"".join(
            b"\0" + NOISE[(y * 977) % 4096 :][: side * 3].ljust(side * 3, b"\7")
            for y in range(side)
        )
        chunk = (
            lambda name, data: struct.pack(">I", len(data))
            + name
            + data
            + struct.pack(">I", zlib.crc32(name + data))
        )
        return Body(
            "image/png",
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 0))
            + chunk(b"IEND", b""),
        )
    from PIL import Image

    out = io.BytesIO()
    data = (NOISE * (side * side * 3 // MIB + 1))[: side * side * 3]
    Image.frombytes("RGB", (side, side), data).save(out, {"gif": "GIF"}.get(kind, "JPEG"))
    return Body("image/" + kind, out.getvalue())


def page(path, size):
    size = min(size, 10_000 + size // 200)
    rows = random.Random(path)
    if path.endswith("/") and path != "/":  # as web servers list a folder
        names = [
            f"{rows.choice(WORDS)}{i}{rows.choice(['.csv', '.txt', '.zip', '.tar.gz', '/'])}"
            for i in range(40)
        ]
        return Body(
            "text/html",
            f"<html><title>Index of {path}</title><h1>Index of {path}</h1><pre>".encode()
            + "".join(f'<a href="{name}">{name}</a>\n' for name in names).encode()
            + b"</pre></html>",
        )
    links = "".join(
        f'<li><a href="/{rows.choice(WORDS)}/{rows.randrange(1000)}'
        f'{rows.choice(["", "/", ".html", ".csv", ".png"])}">'
        f"{prose(rows)}</a></li>\n"
        for _ in range(30)
    )
    head = (
        f'<!DOCTYPE html><html lang="en"><head><title>{prose(rows)}</title></head><body>'
        f"<h1>{prose(rows)}</h1><ul>{links}"
        f'</ul><img src="/{rows.randrange(1000)}.png"><table>'
    ).encode()
    line = (
        b"<tr><td>"
        + prose(rows).strip().encode()
        + b"</td><td>1.5</td></tr>\n<p>"
        + prose(rows).encode()
        + b"</p>\n"
    )
    return Body(
        "text/html; charset=utf-8",
        head,
        line,
        max(0, (size - len(head)) // len(line)),
        b"</table></body></html>\n",
    )


def records(path, size):
    rows = random.Random(path)
    part = block(
        "json", lambda: ("," + ",".join(record(random.Random(i)) for i in range(500))).encode()
    )
    return Body("application/json", b"[" + record(rows).encode(), part, size // len(part), b"]")


def answer(path, query, headers):
    """What a program's interface says: an object with the fields that many of them have."""
    rows = random.Random(path)
    items = [json.loads(record(rows)) for _ in range(rows.randrange(5, 60))]
    return Body(
        "application/json",
        json.dumps(
            {
                "id": items[0]["id"],
                "name": items[0]["name"],
                "title": items[0]["title"],
                "url": "https://example.org" + path,
                "args": dict(query),
                "headers": dict(headers),
                "origin": "10.77.0.2",
                "count": len(items),
                "total": len(items),
                "next": None,
                "status": "ok",
                "results": items,
                "items": items,
                "data": items,
            }
        ).encode(),
    )


def store(method, path, query):
    """What an object store says, where a program speaks to one."""
    asked = {name for name, _ in query}
    host = '<?xml version="1.0"?><%s xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s</%s>'
    if method == "POST" and asked & {"uploads", "uploadId"}:
        kind = (
            "InitiateMultipartUploadResult"
            if "uploads" in asked
            else "CompleteMultipartUploadResult"
        )
        words = host % (
            kind,
            f"<Bucket>data</Bucket><Key>{path[1:]}</Key><UploadId>u1</UploadId><ETag>e1</ETag>",
            kind,
        )
    elif method == "GET" and "list-type" in asked:
        rows = "".join(
            f"<Contents><Key>part/{i}.bin</Key><Size>{length_of(f'/part/{i}.bin')}</Size>"
            "<ETag>e1</ETag>"
            "<LastModified>2024-05-01T10:00:00.000Z</LastModified></Contents>"
            for i in range(20)
        )
        words = host % (
            "ListBucketResult",
            f"<Name>data</Name><KeyCount>20</KeyCount><IsTruncated>false</IsTruncated>{rows}",
            "ListBucketResult",
        )
    elif method in ("PUT", "DELETE") and asked & {"partNumber", "uploadId", "x-id"}:
        words = ""
    else:
        return None
    return Body("application/xml", words.encode())


def body(method, path, query, headers):
    """The answer to a path."""
    stored = store(method, path, query)
    if stored:
        return stored
    name = path.rstrip("/").rsplit("/", 1)[-1].lower()
    parts = name.split(".")
    kind, inner = parts[-1] if len(parts) > 1 else "", parts[-2] if len(parts) > 2 else ""
    size = length_of(path)
    stem = parts[0] or "data"
    first = path.strip("/").split("/")
    if len(first) == 2 and first[0] in ("bytes", "stream-bytes", "range") and first[1].isdigit():
        count = min(int(first[1]), 1 << 31)
        return Body("application/octet-stream", NOISE[: count % MIB], NOISE, count // MIB)
    if kind in ("tgz", "crate") or (kind, inner) == ("gz", "tar"):
        return tar(stem, size, True)
    if kind == "tar":
        return tar(stem, size, False)
    if kind in ("zip", "jar", "whl", "npz", "xlsx", "docx", "kmz"):
        return archive(stem, size)
    if kind == "gz":
        return gz(inner if inner in TEXTS else "txt", size)
    if kind in TEXTS:
        return text(kind, size)
    if kind in ("png", "jpg", "jpeg", "gif"):
        return picture(kind, size)
    if kind in ("json", "geojson"):
        return records(path, min(size, 20_000_000))
    asked = headers.get("Accept", "")
    if (
        method not in ("GET", "HEAD")
        or "json" in asked
        or "api" in path
        or first[0]
        in (
            "get",
            "post",
            "put",
            "headers",
            "anything",
            "ip",
            "uuid",
            "users",
            "posts",
            "todos",
            "repos",
            "search",
        )
    ):
        return answer(path, query, headers)
    if kind in ("", "html", "htm", "php", "asp", "aspx", "org", "com", "net") or not kind.isalnum():
        return page(path, size)
    part = NOISE[: size % MIB]
    return Body("application/octet-stream", part, NOISE, size // MIB)


# ---------------------------------------------------------------- servers
class Web(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "nginx"
    timeout = 60

    def log_message(self, *_):
        pass

    def swallow(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while True:
                size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
                left = size
                while left > 0:
                    left -= len(self.rfile.read(min(left, MIB)))
                self.rfile.readline()
                if not size:
                    return
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0:
            got = len(self.rfile.read(min(left, MIB)))
            if not got:
                return
            left -= got

    def handle_any(self):
        if self.headers.get("Expect", "").lower() == "100-continue":
            pass  # the base class has answered it
        self.swallow()
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path) or "/"
        first = path.strip("/").split("/")
        status = 200
        if first[0] == "delay" and len(first) == 2 and first[1].isdigit():
            time.sleep(min(10, int(first[1])))
            path = "/get"
        if first[0] == "status" and len(first) == 2 and first[1].isdigit():
            status = int(first[1])
        whole = body(
            self.command,
            path,
            urllib.parse.parse_qsl(url.query, keep_blank_values=True),
            self.headers,
        )
        start, end = 0, whole.length
        asked = self.headers.get("Range", "")
        if status == 200 and asked.startswith("bytes=") and "," not in asked:
            low, _, high = asked[6:].partition("-")
            if low:
                start, end = int(low), min(end, int(high) + 1 if high else end)
            else:
                start = max(0, end - int(high))
            status = 206 if start < whole.length else 416
            start, end = min(start, whole.length), max(start, end)
        self.send_response(status)
        self.send_header("Content-Type", whole.kind)
        self.send_header("Content-Length", str(end - start))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Last-Modified", "Wed, 01 May 2024 10:00:00 GMT")
        self.send_header("ETag", f'"{hashlib.md5(path.encode()).hexdigest()}"')
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{whole.length}")
        self.end_headers()
        if self.command != "HEAD":
            for piece in whole.pieces(start, end):
                self.wfile.write(piece)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = handle_any


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    context = None

    def handle_error(self, *_):
        pass

    def finish_request(self, request, client):
        if self.context:
            request.settimeout(30)
            request = self.context.wrap_socket(request, server_side=True)
        try:
            super().finish_request(request, client)
        finally:
            if self.context:
                request.close()


def authority(folder):
    """The certificate authority, and a function from a name to its context."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    start, end = datetime.datetime(2020, 1, 1), datetime.datetime(2049, 1, 1)
    key = ec.generate_private_key(ec.SECP256R1())
    of = lambda name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    build = lambda name: (
        x509.CertificateBuilder()
        .subject_name(of(name))
        .issuer_name(of("world"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
    )
    usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
    ca = (
        build("world")
        .add_extension(x509.BasicConstraints(True, None), True)
        .add_extension(usage, True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .sign(key, hashes.SHA256())
    )
    pem = ca.public_bytes(serialization.Encoding.PEM)
    with open(folder + "/ca.pem", "wb") as out:
        out.write(pem)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    known, lock = {}, threading.Lock()

    def context(name):
        with lock:
            if name not in known:
                import ipaddress

                try:
                    alternative = x509.IPAddress(ipaddress.ip_address(name))
                except ValueError:
                    alternative = x509.DNSName(name)
                leaf = (
                    build(name)
                    .add_extension(x509.SubjectAlternativeName([alternative]), False)
                    .add_extension(
                        x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), False
                    )
                    .sign(key, hashes.SHA256())
                )
                where = f"{folder}/leaf.pem"
                with open(where, "wb") as out:
                    out.write(leaf.public_bytes(serialization.Encoding.PEM) + pem + secret)
                made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                made.load_cert_chain(where)
                made.set_alpn_protocols(["http/1.1"])
                known[name] = made
            return known[name]

    return context


def names(kind):
    """A DNS server: every name has the world's address, and nothing else."""

    def reply(asked):
        at = 12
        while asked[at]:
            at += asked[at] + 1
        question = asked[12 : at + 5]
        wanted = struct.unpack(">H", asked[at + 1 : at + 3])[0]
        found = (
            b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(ADDRESS)
            if wanted in (1, 255)
            else b""
        )
        return (
            asked[:2]
            + b"\x81\x80\0\1"
            + (b"\0\1" if found else b"\0\0")
            + bytes(4)
            + question
            + found
        )

    with socket.socket(socket.AF_INET, kind) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((ADDRESS, 53))
        if kind == socket.SOCK_STREAM:
            server.listen(64)
        while True:
            try:
                if kind == socket.SOCK_DGRAM:
                    asked, client = server.recvfrom(4096)
                    server.sendto(reply(asked), client)
                else:
                    with server.accept()[0] as client:
                        client.settimeout(2)
                        asked = client.recv(4096)[2:]
                        client.sendall(struct.pack(">H", len(reply(asked))) + reply(asked))
            except (OSError, IndexError, struct.error):
                pass


def main():
    folder = sys.argv[1]
    context = authority(folder)

    def by_name(request, name, _):
        request.context = context(name or ADDRESS)

    default = context(ADDRESS)
    default.sni_callback = by_name
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        threading.Thread(target=names, args=(kind,), daemon=True).start()
    for port in PORTS + TLS_PORTS:
        server = Server(("0.0.0.0", port), Web)
        server.context = default if port in TLS_PORTS else None
        threading.Thread(target=server.serve_forever, daemon=True).start()
    open(folder + "/ready", "w").close()
    while True:
        time.sleep(3600)


main()
