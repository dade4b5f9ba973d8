#!/usr/bin/env python3
"""Rewritten pages per second of a replay on loopback, beside pywb in the same run.

    python3 tests/bench/replay_pages.py target/release/fonds FILE.warc.gz [--pywb FOLDER/OF/BIN] [--pages N]

The pages are a random sample, the same for all, of the HTML captures with status 200 of the file. Each program is asked
from as many processes as there are cores, each over one connection that stays open; pywb runs once per core. Every answer
has to be a 200 of which no byte is missing, and what it is for is rewritten. Fonds is measured without and with a token,
in turn, and its memory at the end. With --pywb the programs take turns, twice. Needs Linux.
"""

import argparse
import json
import multiprocessing
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

CORES = len(os.sched_getaffinity(0))


def html_pages(program, file):
    """Every HTML capture with status 200: (timestamp, URL)."""
    index = subprocess.run([program, "warc", "index", file], stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in index.splitlines():
        if line.startswith("!"):
            continue
        _, timestamp, fields = line.split(" ", 2)
        fields = json.loads(fields)
        if fields.get("status") == "200" and fields.get("mime") == "text/html":
            yield timestamp, fields["url"]


def read_answer(connection, buffer):
    """Status, fields and length of the body of one answer; what was read beyond it."""
    while b"\r\n\r\n" not in buffer:
        buffer += more(connection)
    head, _, body = buffer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    status = int(lines[0].split()[1])
    if "content-length" in fields:
        length = int(fields["content-length"])
        parts, have = [body], len(body)
        while have < length:
            parts.append(more(connection))
            have += len(parts[-1])
        body = b"".join(parts)
        return status, fields, body[:length], body[length:]
    if "chunked" not in fields.get("transfer-encoding", ""):
        raise RuntimeError(f"an answer without a length: {head!r}")
    whole = b""
    while True:
        while b"\r\n" not in body:
            body += more(connection)
        size, _, body = body.partition(b"\r\n")
        size = int(size.split(b";")[0], 16)
        while len(body) < size + 2:
            body += more(connection)
        whole += body[:size]
        body = body[size + 2:]
        if size == 0:
            return status, fields, whole, body


def more(connection):
    data = connection.recv(1 << 18)
    if not data:
        raise ConnectionError("the server closed the connection")
    return data


def ask(job):
    """Asks one server for its pages; (pages that came, bytes, pages that did not)."""
    port, paths = job
    came = read = failed = 0
    connection, rest = None, b""
    for path in paths:
        for attempt in range(2):
            try:
                if connection is None:
                    connection, rest = socket.create_connection(("127.0.0.1", port), 30), b""
                request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: identity\r\n\r\n"
                connection.sendall(request.encode())
                status, fields, body, rest = read_answer(connection, rest)
                if fields.get("connection", "").lower() == "close":
                    connection = None
                break
            except (ConnectionError, TimeoutError):
                connection = None
                if attempt:
                    raise
        if status == 200 and (b"/shim.js" in body or b"/col/" in body):
            came += 1
            read += len(body)
        else:
            failed += 1
    return came, read, failed


def measured(name, ports, prefix, pages, note=lambda: ""):
    """One round; prints a line and gives pages per second."""
    quote = lambda url: urllib.parse.quote(url, safe="/:?&=%#+,;@!$'()*~[]")
    paths = [f"{prefix}/{timestamp}mp_/{quote(url)}" for timestamp, url in pages]
    jobs = [(ports[i % len(ports)], paths[i::CORES]) for i in range(CORES)]
    with multiprocessing.Pool(CORES) as pool:
        pool.map(ask, [(port, paths[:5]) for port, paths in jobs])
        begin = time.monotonic()
        answers = pool.map(ask, jobs, chunksize=1)
        seconds = time.monotonic() - begin
    came, read, failed = (sum(column) for column in zip(*answers))
    rate = came / seconds
    print(f"{name:22} {rate:8.1f} pages/s  {came} pages, {read / 1e6:.1f} MB in {seconds:.2f} s, "
          f"{failed} failed  {note()}", flush=True)
    return rate


def peak(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def fonds(program, workspace, pages, token):
    command = [program, "replay", workspace, "--json"] + (["--token"] if token else [])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        addresses = json.loads(process.stdout.readline())
        archive = urllib.parse.urlsplit(addresses["replay"])
        name = "fonds with a token" if token else "fonds"
        return measured(name, [archive.port], archive.path.rstrip("/") + "/w", pages,
                        lambda: f"peak {peak(process):.0f} MiB")
    finally:
        process.terminate()
        process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def pywb(folder, collection, pages):
    ports = [free_port() for _ in range(CORES)]
    servers = [
        subprocess.Popen([os.path.join(folder, "wayback"), "-p", str(port), "-b", "127.0.0.1"], cwd=collection,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for port in ports
    ]
    try:
        for port in ports:
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionError:
                    time.sleep(0.1)
        return measured("pywb", ports, "/col", pages, lambda: f"{CORES} processes")
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("fonds")
    options.add_argument("file")
    options.add_argument("--pywb", help="folder with pywb's programs wayback and wb-manager")
    options.add_argument("--pages", type=int, default=20_000)
    options.add_argument("--peer-pages", type=int, default=600)
    options = options.parse_args()
    program, file = os.path.abspath(options.fonds), os.path.abspath(options.file)
    folder = tempfile.mkdtemp(prefix="replay-pages-")
    try:
        workspace = os.path.join(folder, "w")
        quiet = {"stdout": subprocess.DEVNULL, "check": True}
        subprocess.run([program, "new", workspace], **quiet)
        subprocess.run([program, "import", workspace, file], **quiet)

        pages = list(html_pages(program, file))
        pages = random.Random(45).sample(pages, min(options.pages, len(pages)))
        if options.pywb:
            manager = os.path.join(os.path.abspath(options.pywb), "wb-manager")
            subprocess.run([manager, "init", "col"], cwd=folder, stderr=subprocess.DEVNULL, **quiet)
            subprocess.run([manager, "add", "col", file], cwd=folder, stderr=subprocess.DEVNULL, **quiet)
        for _ in range(2):
            plain = fonds(program, workspace, pages, False)
            token = fonds(program, workspace, pages, True)
            line = f"with a token {token / plain:.2f} of without"
            if options.pywb:
                peer = pywb(os.path.abspath(options.pywb), folder, pages[:options.peer_pages])
                line = f"fonds is {plain / peer:.1f} times pywb; " + line
            print(line, flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
