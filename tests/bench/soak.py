#!/usr/bin/env python3
"""Crawls for hours while faults come at random, and counts afterwards.

    soak.py FONDS FOLDER [--minutes 120] [--hosts 12] [--delay-ms 250]
            [--seed 1] [--every 20] [--faults kill,stop,cut,...] [--disk FOLDER]

A small web of its own on 127.0.1.0/24 is crawled politely. Meanwhile, about
every so many seconds, one fault of these is made:

    kill    kill -9, then the crawl goes on
    stop    Ctrl-C, then the crawl goes on
    cut     kill -9 and a power cut: the end of the open WARC is cut off
    away    a host is away for a while, all its connections with it
    gone    all hosts are away
    busy    a host answers 429 or 503, with or without Retry-After
    silent  a host takes connections and closes them
    names   the name server is away or fails; hosts have names then, in a
            network and a mount name space of their own (Linux, as root)
    disk    the disk is full (with --disk, a small file system of its own
            that holds FOLDER)

In the end every URL has exactly one capture, nothing failed, crawl.log has a
line for each capture, the archive files can be read, and memory did not grow:
exit status 0. Needs Python 3.9 and nothing else; FOLDER must not exist.
"""
import argparse, asyncio, glob, gzip, json, os, random, re, signal, socket, sqlite3, subprocess, sys, tempfile, threading
import time

AGENT = "Mozilla/5.0 (compatible; fonds-soak; +https://archive.example.org/bot)"


class NameServer:
    """Knows h1.soak.example and so on; silent or failing on request."""

    def __init__(self, addresses):
        self.addresses, self.mode, self.asked = addresses, "fine", 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.53", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, asker = self.socket.recvfrom(1500)
            labels, at = [], 12
            while query[at]:
                labels.append(query[at + 1:at + 1 + query[at]].decode())
                at += 1 + query[at]
            name, kind, question = ".".join(labels), query[at + 2], query[12:at + 5]
            self.asked += 1
            if self.mode == "silent":
                continue
            code = 2 if self.mode == "failing" else 0 if name in self.addresses else 3
            answers = b""
            if code == 0 and kind == 1:
                address = socket.inet_aton(self.addresses[name])
                answers = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + address
            head = query[:2] + bytes([0x81, 0x80 | code, 0, 1, 0, 1 if answers else 0, 0, 0, 0, 0])
            self.socket.sendto(head + question + answers, asker)


def in_a_network_of_its_own():
    """Runs this program again where only loopback and its own name server are."""
    if os.environ.get("SOAK_INSIDE"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write("nameserver 127.0.0.53\noptions timeout:2 attempts:1\n")
        subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True)
        return
    os.environ["SOAK_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--net", sys.executable, *sys.argv])


class Web:
    """Hosts with pages /p/0 to /p/N-1, each with its links; away or busy on request."""

    def __init__(self, hosts, pages, port, has_names):
        self.addresses = {f"h{i + 1}.soak.example" if has_names else f"127.0.1.{i + 1}": f"127.0.1.{i + 1}"
                          for i in range(hosts)}
        self.names = list(self.addresses)
        self.pages, self.port, self.mode = pages, port, {}
        self.lines, self.servers, self.hits = {name: set() for name in self.names}, {}, 0
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        for name in self.names:
            self.run(self.open(name))

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def open(self, name):
        if name not in self.servers:
            self.servers[name] = await asyncio.start_server(
                lambda r, w: self.serve(name, r, w), self.addresses[name], self.port, reuse_address=True)

    async def close(self, name):
        server = self.servers.pop(name, None)
        if server:
            server.close()
        for writer in list(self.lines[name]):
            writer.transport.abort()

    def urls(self):
        return {f"http://{n}:{self.port}/{p}" for n in self.names
                for p in ["robots.txt"] + [f"p/{i}" for i in range(self.pages)]}

    def page(self, name, path):
        if path == "/robots.txt":
            return "text/plain", b"User-agent: *\nDisallow: /never\n"
        number = int(path[3:])
        rng = random.Random(f"{name}{number}")
        links = [f"/p/{n}" for n in (2 * number + 1, 2 * number + 2) if n < self.pages]
        links.append(f"http://{rng.choice(self.names)}:{self.port}/p/{rng.randrange(self.pages)}")
        text = " ".join(rng.choice("alfa beta gama delta casa livro".split()) for _ in range(rng.randrange(20, 900)))
        body = f"<title>{name} {number}</title><a href=/never/{number}>no</a>" + "".join(
            f"<a href='{link}'>to {link}</a> " for link in links) + f"<p>{text} {name} {number}"
        return "text/html", body.encode()

    async def serve(self, name, reader, writer):
        self.lines[name].add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path, mode = head.split(b" ", 2)[1].decode(), self.mode.get(name)
                self.hits += 1
                if mode == "silent":
                    return
                if mode == "busy" and path != "/robots.txt":
                    wait = random.choice(["", "Retry-After: 3\r\n"])
                    status = random.choice(["429 Slow", "503 Busy"])
                    writer.write(f"HTTP/1.1 {status}\r\n{wait}Content-Length: 0\r\n\r\n".encode())
                elif re.fullmatch(r"/p/\d+|/robots.txt", path):
                    mime, body = self.page(name, path)
                    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
                else:
                    writer.write(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            self.lines[name].discard(writer)
            writer.close()


class Crawl:
    def __init__(self, fonds, folder):
        self.fonds, self.folder, self.process, self.rss = fonds, folder, None, []
        self.err = open(folder + ".err", "ab")

    def start(self):
        self.process = subprocess.Popen([self.fonds, "crawl", self.folder, "1"], stdout=self.err, stderr=self.err)

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait()

    def sample(self):
        try:
            status = open(f"/proc/{self.process.pid}/status").read()
            self.rss.append((time.time(), int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024))
        except (OSError, TypeError):
            pass


def main():
    args = argparse.ArgumentParser()
    args.add_argument("fonds"), args.add_argument("folder")
    args.add_argument("--minutes", type=float, default=120)
    args.add_argument("--hosts", type=int, default=12)
    args.add_argument("--delay-ms", type=int, default=250)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--every", type=float, default=20)
    args.add_argument("--port", type=int, default=9411)
    args.add_argument("--faults", default="kill,stop,cut,away,gone,busy,silent,disk")
    args.add_argument("--disk")
    args = args.parse_args()
    has_names = "names" in args.faults.split(",")
    if has_names:
        in_a_network_of_its_own()
    rng, done = random.Random(args.seed), {}
    # A half of the time goes to the faults.
    pages = max(20, int(args.minutes * 60_000 / (args.delay_ms + 30) * 0.5))
    web = Web(args.hosts, pages, args.port, has_names)
    name_server = NameServer(web.addresses) if has_names else None
    campaign = {
        "name": "Soak",
        "seeds": [{"url": f"http://{name}:{args.port}/p/0"} for name in web.names],
        "rules": [{"rule": "accept_all"}, {"rule": "robots"}],
        "politeness": {"user_agent": AGENT, "min_delay_ms": args.delay_ms, "delay_factor": 1.0, "robots": "obey",
                       "allow_private_addresses": True, "workers": 16, "max_retries": 5, "retry_delay_seconds": 2},
        "limits": {"disk_floor_bytes": 0},
    }
    subprocess.run([args.fonds, "new", args.folder], check=True, stdout=subprocess.DEVNULL)
    add = [args.fonds, "campaign", "add", args.folder, "-"]
    subprocess.run(add, input=json.dumps(campaign).encode(), check=True, stdout=subprocess.DEVNULL)
    crawl, begin, next_fault, undo = Crawl(args.fonds, args.folder), time.time(), time.time() + 5, []
    faults = [f for f in args.faults.split(",") if f != "disk" or args.disk]
    crawl.start()
    last = begin
    while True:
        time.sleep(0.25)
        now = time.time()
        if now - last > 2:
            crawl.sample()
            last = now
        for item in [item for item in undo if item[0] <= now]:
            undo.remove(item)
            item[1]()
        status = crawl.process.poll()
        if status == 0:
            break
        if status is not None:
            print(f"{now - begin:.0f} s: the crawl ended with status {status}", flush=True)
            if now - begin > args.minutes * 60 * 3:
                break
            time.sleep(1)
            crawl.start()
        if now < next_fault or now - begin > args.minutes * 60:
            continue
        next_fault = now + rng.expovariate(1 / args.every)
        fault, name, span = rng.choice(faults), rng.choice(web.names), rng.uniform(3, 25)
        done[fault] = done.get(fault, 0) + 1
        if fault == "kill":
            crawl.end(signal.SIGKILL)
            crawl.start()
        elif fault == "stop":
            stopped = time.time()
            crawl.end(signal.SIGINT)
            if time.time() - stopped > 15:
                print(f"{now - begin:.0f} s: the stop took {time.time() - stopped:.0f} s", flush=True)
            crawl.start()
        elif fault == "cut":
            crawl.end(signal.SIGKILL)
            for path in glob.glob(args.folder + "/output/warcs/*/*/*.open"):
                size = os.path.getsize(path)
                os.truncate(path, max(0, size - rng.randrange(1, 200_000)))
            crawl.start()
        elif fault in ("away", "gone"):
            for each in web.names if fault == "gone" else [name]:
                web.run(web.close(each))
                undo.append((now + span, lambda each=each: web.run(web.open(each))))
        elif fault in ("busy", "silent"):
            web.mode[name] = fault
            undo.append((now + span, lambda name=name: web.mode.pop(name, None)))
        elif fault == "names":
            name_server.mode = rng.choice(["silent", "failing"])
            undo.append((now + span, lambda: setattr(name_server, "mode", "fine")))
        elif fault == "disk":
            filler = os.path.join(args.disk, "filler")
            try:
                with open(filler, "ab") as file:
                    while True:
                        file.write(b"x" * 65536)
                        file.flush()
            except OSError:
                pass
            undo.append((now + span, lambda: os.path.exists(filler) and os.remove(filler)))
    took = time.time() - begin
    sys.exit(check(args, web, crawl, done, took))


def check(args, web, crawl, done, took):
    wrong = []

    def same(what, got, expected):
        print(f"{what}: {got}" + ("" if got == expected else f", expected {expected}"))
        if got != expected:
            wrong.append(what)

    print(f"{took / 60:.1f} minutes, {web.hits} requests, faults {done}")
    conn = sqlite3.connect(f"file:{args.folder}/fonds.sqlite?mode=ro", uri=True) if os.path.exists(
        args.folder + "/fonds.sqlite") else sqlite3.connect(glob.glob(args.folder + "/*.sqlite*")[0])
    captured = [row[0] for row in conn.execute("SELECT u.url FROM capture c JOIN url u ON u.id = c.url")]
    pages = [url for url in captured if not url.endswith("/robots.txt")]
    same("captured URLs", len(set(captured)), len(web.urls()))
    same("missing URLs", sorted(web.urls() - set(captured))[:5], [])
    same("pages captured twice", len(pages) - len(set(pages)), 0)
    same("failed URLs", conn.execute("SELECT count(*) FROM seen WHERE state = 3").fetchone()[0], 0)
    same("queued URLs", conn.execute("SELECT count(*) FROM seen WHERE state = 0").fetchone()[0], 0)
    lines = [line.split() for path in glob.glob(args.folder + "/output/logs/*/*/crawl.log") for line in open(path)]
    same("lines of crawl.log with an answer", sum(int(line[1]) > 0 for line in lines), len(captured))
    records, broken = 0, 0
    for path in glob.glob(args.folder + "/output/warcs/*/*/*.warc.gz"):
        try:
            records += sum(line.startswith((b"WARC-Type: response", b"WARC-Type: revisit")) for line in gzip.open(path))
        except (OSError, EOFError) as error:
            print(f"{path}: {error}")
            broken += 1
    same("broken WARC files", broken, 0)
    same("response and revisit records", records, len(captured))
    quarters = [[mib for at, mib in crawl.rss if int((at - crawl.rss[0][0]) * 4 / (took + 1)) == q] for q in range(4)]
    print("memory by quarter, MiB:", [f"max {max(q)}, mean {sum(q) // len(q)}" for q in quarters if q])
    print("fine" if not wrong else f"wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
