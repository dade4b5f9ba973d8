#!/usr/bin/env python3
"""Which hosts a browser contacts while it replays pages that try to leave the archive.

    unshare --net --mount python3 tests/bench/replay_leaks.py target/release/fonds [--browser chromium] [--control] [--token]

A network of its own has a name server that answers every name with this machine and writes each one down, listeners on
80 and 443, and UDP on 443 and 3478. Each technique is a captured page; one more page has all of them in frames. The goal
is no name of leak-*.test. `--control` opens the same pages from a plain server without replay: 25 names or more, or the
bench measures nothing. With `--token` the addresses of replay begin with one, as those of
the window do. Needs Linux, root and Chromium.
"""

import argparse
import base64
import hashlib
import http.server
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

HERE = "10.9.9.10"
DATE = "2024-03-01T09:00:00Z"
SITE = "http://site.example"
TIMESTAMP = "20240301090000"


def script(text):
    return f"<script>{text}</script>"


def click(link):
    return link + script("a.click()")


PAGES = {
    "img": "<img src=http://leak-img.test/a>",
    "newimage": script("new Image().src='http://leak-newimage.test/a'"),
    "fetch": script("fetch('http://leak-fetch.test/a').catch(e=>0)"),
    "xhr": script("var x=new XMLHttpRequest();x.open('GET','http://leak-xhr.test/');x.send()"),
    "ws": script("try{new WebSocket('ws://leak-ws.test/')}catch(e){}"),
    "beacon": script("navigator.sendBeacon('http://leak-beacon.test/')"),
    "eventsource": script("new EventSource('http://leak-eventsource.test/')"),
    "nav": script("location.href='http://leak-nav.test/'"),
    "navlater": script("setTimeout(()=>location='http://leak-navlater.test/',900)"),
    "navassign": script("document.location.assign('https://leak-navassign.test/')"),
    "topnav": script("try{top.location.href='http://leak-topnav.test/'}catch(e){}"),
    "parentnav": script("try{parent.location='http://leak-parentnav.test/'}catch(e){}"),
    "aclick": click("<a id=a href=http://leak-aclick.test/>x</a>"),
    "ablank": click("<a id=a target=_blank href=http://leak-ablank.test/>x</a>"),
    "ping": click("<a id=a href=#x ping=http://leak-ping.test/>x</a>"),
    "open": script("window.open('http://leak-open.test/')"),
    "form": "<form id=f action=http://leak-form.test/></form>" + script("f.submit()"),
    "formjs": script("var f=document.createElement('form');f.method='post';f.action='http://leak-formjs.test/';"
                     "document.documentElement.append(f);f.submit()"),
    "refresh": "<meta http-equiv=refresh content='0;url=http://leak-refresh.test/'>",
    "dnsprefetch": "<link rel=dns-prefetch href=//leak-dnsprefetch.test>",
    "preconnect": "<link rel=preconnect href=http://leak-preconnect.test>",
    "linkjs": script("var l=document.createElement('link');l.rel='preconnect';l.href='http://leak-linkjs.test/';"
                     "document.head.append(l)"),
    "prefetch": "<link rel=prefetch href=http://leak-prefetch.test/a>",
    "prerender": "<link rel=prerender href=http://leak-prerender.test/a>",
    "specrules": '<script type=speculationrules>{"prefetch":[{"urls":["https://leak-specrules.test/a"],'
                 '"eagerness":"immediate"}]}</script>',
    "rtc": script("var p=new RTCPeerConnection({iceServers:[{urls:'stun:leak-rtc.test:3478'}]});"
                  "p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))"),
    "rtcframe": "<iframe srcdoc='<p>x'></iframe>" + script(
        "onload=()=>{var R=frames[0].RTCPeerConnection;if(!R)return;"
        "var p=new R({iceServers:[{urls:'stun:leak-rtcframe.test:3478'}]});"
        "p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))}"),
    "rtcscript": "<iframe src=\"javascript:'<script>var p=new RTCPeerConnection({iceServers:[{urls:&quot;stun:"
                 "leak-rtcscript.test:3478&quot;}]});p.createDataChannel(1);p.createOffer().then(o=>p.setLocalDescription(o))"
                 "</'+'script>'\"></iframe>",
    "rtcwritten": script(
        "var f=document.createElement('iframe');document.documentElement.append(f);f.contentDocument.write("
        "'<script>var p=new RTCPeerConnection({iceServers:[{urls:\"stun:leak-rtcwritten.test:3478\"}]});"
        "p.createDataChannel(1);p.createOffer().then(o=>p.setLocalDescription(o))<\\/script>')"),
    "rtcinner": script(
        "document.body.innerHTML='<iframe srcdoc=\"<script>var p=new RTCPeerConnection({iceServers:[{urls:&quot;stun:"
        "leak-rtcinner.test:3478&quot;}]});p.createDataChannel(1);p.createOffer().then(o=>p.setLocalDescription(o))"
        "<\\/script>\"></iframe>'"),
    "docwrite": script("document.write('<script src=http://leak-docwrite.test/x><\\/script>')"),
    "css": "<style>body{background:url(http://leak-css.test/a)}</style>x",
    "import": script("import('http://leak-import.test/a').catch(e=>0)"),
    "worker": script("new Worker(URL.createObjectURL(new Blob([\"importScripts('http://leak-worker.test/w')\"])))"),
    "workerfetch": script("new Worker(URL.createObjectURL(new Blob([\"fetch('http://leak-workerfetch.test/w')\"])))"),
    "iframe": "<iframe src=http://leak-iframe.test/></iframe>",
    "srcdoc": "<iframe srcdoc='<img src=http://leak-srcdoc.test/a>'></iframe>",
    "blobframe": script("var f=document.createElement('iframe');f.src=URL.createObjectURL(new Blob(["
                        "'<img src=http://leak-blobframe.test/a>'],{type:'text/html'}));document.documentElement.append(f)"),
    "object": "<object data=http://leak-object.test/a></object>",
    "embed": "<embed src=http://leak-embed.test/a>",
    "video": "<video src=http://leak-video.test/a preload=auto autoplay muted></video>",
    "font": "<style>@font-face{font-family:q;src:url(http://leak-font.test/f)}body{font-family:q}</style>text",
    "manifest": "<link rel=manifest href=http://leak-manifest.test/m>",
    "icon": "<link rel=icon href=http://leak-icon.test/i>",
    "base": script("var b=document.createElement('base');b.href='http://leak-base.test/';document.head.append(b);"
                   "new Image().src='q'"),
    "webtransport": script("try{new WebTransport('https://leak-webtransport.test/')}catch(e){}"),
    "fields": "header fields",
    "reported": "<img src=http://leak-reported.test/a>",
}
FIELDS = {
    "fields": [
        ("Link", "<http://leak-linkpreconnect.test>; rel=preconnect, <http://leak-linkpreload.test/a>; rel=preload;"
                 " as=image, <http://leak-linkdns.test>; rel=dns-prefetch"),
        ("Reporting-Endpoints", 'default="https://leak-reporting.test/r"'),
        ("NEL", '{"report_to":"default","max_age":99,"success_fraction":1}'),
        ("Report-To", '{"group":"default","max_age":99,"endpoints":[{"url":"https://leak-reportto.test/r"}]}'),
        ("Refresh", "1; url=http://leak-fieldrefresh.test/"),
    ],
    "reported": [("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri http://leak-reporturi.test/r")],
}


def page(name):
    if name == "all":
        return "<!doctype html><head></head>" + "".join(
            f"<iframe width=60 height=60 src=/{own}></iframe>" for own in PAGES)
    return "<!doctype html><head></head><body>" + PAGES[name]


class Seen:
    """The names that anybody was asked for, or that anything was sent to."""

    def __init__(self):
        self.names = {}
        self.lock = threading.Lock()

    def note(self, name, how):
        found = re.search(r"leak-[a-z]+\.test", name)
        if found:
            with self.lock:
                self.names.setdefault(found.group(0), set()).add(how)


def name_server(seen):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        data, address = server.recvfrom(4096)
        try:
            at, labels = 12, []
            while data[at]:
                labels.append(data[at + 1:at + 1 + data[at]].decode("latin1"))
                at += data[at] + 1
            question, (kind,) = data[12:at + 5], struct.unpack(">H", data[at + 1:at + 3])
        except (IndexError, struct.error):
            continue
        seen.note(".".join(labels), "name")
        is_address = kind == 1
        answer = data[:2] + (b"\x81\x80\0\1\0\1" if is_address else b"\x81\x80\0\1\0\0") + b"\0\0\0\0" + question
        if is_address:
            answer += b"\xc0\x0c\0\1\0\1\0\0\0\x05\0\4" + socket.inet_aton(HERE)
        server.sendto(answer, address)


def listener(seen, port):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HERE, port))
    server.listen(64)
    while True:
        client, _ = server.accept()
        client.settimeout(2)
        try:
            data = client.recv(4000)
            seen.note(data.decode("latin1"), f"port {port}")
            if port == 80:
                client.sendall(b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\n"
                               b"Connection: close\r\n\r\nok")
        except OSError:
            pass
        client.close()


def datagrams(seen, port):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((HERE, port))
    while True:
        server.recvfrom(4096)
        # Nothing else sends any.
        seen.note("leak-udp.test", f"UDP {port}")


def network(folder):
    for call in ("link set lo up", "link add d0 type veth peer name d1", "addr add 10.9.9.9/24 dev d0",
                 f"addr add {HERE}/32 dev lo", "link set d0 up", "link set d1 up", "route add default dev d0"):
        subprocess.run(["ip", *call.split()], check=True)
    names = os.path.join(folder, "resolv.conf")
    with open(names, "w", encoding="ascii") as out:
        out.write("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", names, "/etc/resolv.conf"], check=True)


def archive(folder):
    path = os.path.join(folder, "leaks.warc")
    with open(path, "wb") as out:
        for number, name in enumerate([*PAGES, "all"]):
            body = page(name).encode()
            fields = "".join(f"{key}: {value}\r\n" for key, value in FIELDS.get(name, []))
            block = (f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{fields}"
                     f"Content-Length: {len(body)}\r\n\r\n").encode() + body
            digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
            out.write((f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {DATE}\r\nWARC-Target-URI: {SITE}/{name}\r\n"
                       f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
                       f"WARC-Payload-Digest: sha1:{digest}\r\nContent-Type: application/http; msgtype=response\r\n"
                       f"Content-Length: {len(block)}\r\n\r\n").encode() + block + b"\r\n\r\n")
    return path


class Plain(http.server.BaseHTTPRequestHandler):
    """The pages as they were on their site."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = urllib.parse.urlsplit(self.path).path.strip("/")
        body = page(name).encode() if name in PAGES or name == "all" else b""
        self.send_response(200 if body else 404)
        for key, value in [("Content-Type", "text/html; charset=utf-8"), *FIELDS.get(name, [])]:
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def visit(browser, url, folder):
    profile = tempfile.mkdtemp(dir=folder)
    call = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}",
            "--window-size=1200,900", "--timeout=9000", f"--screenshot={folder}/shot.png", url]
    # A browser that is not done is stopped: what it asked for is written down.
    subprocess.run(["timeout", "-k", "2", "25", *call], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(profile, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("fonds")
    arguments.add_argument("--browser", default="chromium")
    arguments.add_argument("--control", action="store_true")
    arguments.add_argument("--token", action="store_true")
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    seen = Seen()
    with tempfile.TemporaryDirectory() as folder:
        network(folder)
        for work, given in ((name_server, ()), (listener, (80,)), (listener, (443,)), (datagrams, (443,)),
                            (datagrams, (3478,))):
            threading.Thread(target=work, args=(seen, *given), daemon=True).start()
        replay = None
        if options.control:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Plain)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            base = f"http://127.0.0.1:{server.server_port}"
        else:
            command = [options.fonds, "replay", archive(folder), "--json"] + ["--token"] * options.token
            replay = subprocess.Popen(command, stdout=subprocess.PIPE)
            addresses = json.loads(replay.stdout.readline())
            base = f"{addresses['control']}/r/{TIMESTAMP}/{SITE}"
        chosen = [name for name in ["all", *PAGES] if not options.only or name in options.only.split(",")]
        for name in chosen if replay else []:
            # A page that is not shown would contact nobody.
            with urllib.request.urlopen(f"{addresses['replay']}/w/{TIMESTAMP}mp_/{SITE}/{name}") as page:
                assert b"/shim.js" in page.read(), name
        begun = time.monotonic()
        for name in chosen:
            before = set(seen.names)
            visit(options.browser, f"{base}/{name}", folder)
            new = sorted(set(seen.names) - before)
            print(f"{name}\t{' '.join(new) or '–'}", flush=True)
        if replay:
            replay.terminate()
            replay.wait()
    for name, how in sorted(seen.names.items()):
        print(f"  {name}: {', '.join(sorted(how))}")
    took = time.monotonic() - begun
    print(f"{len(seen.names)} names of {len(chosen)} pages in {took:.0f} s with {options.browser}")
    fails = len(seen.names) < 25 if options.control else bool(seen.names)
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
