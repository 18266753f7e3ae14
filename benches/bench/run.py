#!/usr/bin/env python3
"""Measures Remand side by side with nginx: what an exchange costs, what it delays, what a held stream holds.

    apt-get install nginx          # the yardstick; without it the rest is measured
    benches/bench/run.py           # builds with --release, then about five minutes
    benches/bench/run.py --quick   # whether it runs at all; a debug build will do, and no figure counts

One provider and one load maker (`rig`) share core 0, the proxies have core 1, one at a time. Rounds are interleaved, the
figures are medians over them, and the ratios are taken within one run, so that a busy machine weighs on both alike.
The cost is the CPU time of the proxy's process (schedstat in /proc), not the load maker's. Ends with 1 where a
target is missed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

# Scene, bytes of a request, whether each begins a conversation of its own, which nobody has seen before, and whether
# "no more than 3x nginx" is asked of it. Agents go on with a conversation, so that is what is asked about.
SCENES = [
    ("whole", 1 << 10, False, False),
    ("whole", 32 << 10, False, True),
    ("whole", 32 << 10, True, False),
    ("call", 32 << 10, False, True),
    ("stream", 32 << 10, False, True),
    ("stream-call", 32 << 10, False, True),
    ("whole", 1 << 20, False, False),
    ("whole", 1 << 20, True, False),
]
MOST_CPU = 3.0  # times nginx
MOST_FIRST_BYTE = 1000.0  # microseconds added
MOST_BESIDE = 64.0  # KiB beside a held call

NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off; keepalive_requests 100000000; client_max_body_size 0; client_body_buffer_size 2m;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream provider {{ server 127.0.0.1:{provider}; keepalive 512; keepalive_requests 100000000; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_buffering off; proxy_request_buffering {buffering};
        }}
    }}
}}
"""

REMAND = """
[listen]
address = "127.0.0.1:{port}"
[[upstream]]
name = "provider"
base_url = "http://127.0.0.1:{provider}/v1"
[guard]
mode = "{mode}"
"""


class Proxy:
    """A process that stands between load and provider, on core 1."""

    def __init__(self, name, port, command, folder, environment=None):
        self.name, self.port = name, port
        self.log = open(folder / f"{name}.log", "wb")
        self.process = subprocess.Popen(
            ["taskset", "-c", "1", *command],
            stdout=self.log, stderr=self.log, env={**os.environ, **(environment or {})},
        )
        wait_for(port, self.process)

    def processes(self):
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def cpu(self):
        """Seconds spent so far, by the process and its workers: of every thread the scheduler's own count."""
        threads = (thread for pid in self.processes() for thread in pathlib.Path(f"/proc/{pid}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def resident(self):
        """KiB of memory."""
        kib = 0
        for pid in self.processes():
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            kib += int(status.split("VmRSS:")[1].split()[0])
        return kib

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


class Direct:
    """No proxy at all: the load asks the provider."""

    name, process = "direct", None

    def __init__(self, port):
        self.port = port


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        profile = "debug" if options.quick else "release"
        self.rig = TARGET / profile / "examples" / "rig"
        self.remand = pathlib.Path(options.remand) if options.remand else TARGET / profile / "remand"
        self.missed = []
        self.provider = None

    def build(self):
        if self.options.no_build:
            return
        release = [] if self.options.quick else ["--release"]
        for target in (["--bin", "remand"], ["--example", "rig"]):
            subprocess.run(["cargo", "build", *release, *target], cwd=ROOT, check=True)

    def start(self, stack):
        self.provider = free_port()
        provider = [str(self.rig), "provider", "--listen", f"127.0.0.1:{self.provider}"]
        process = subprocess.Popen(["taskset", "-c", "0", *provider])
        stack.callback(process.kill)
        wait_for(self.provider, process)
        proxies = [self.start_remand("remand", "enforce")]
        if self.options.observe:
            proxies.append(self.start_remand("observe", "observe"))
        nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if nginx:
            proxies.insert(0, self.start_nginx(nginx))
        else:
            print("nginx is not installed: no ratios. On Debian: apt-get install nginx\n")
        for proxy in proxies:
            stack.callback(proxy.stop)
        return proxies

    def start_nginx(self, nginx):
        port = free_port()
        text = NGINX.format(folder=self.folder, port=port, provider=self.provider,
                            buffering="on" if self.options.nginx_buffers else "off")
        path = self.folder / "nginx.conf"
        path.write_text(text)
        return Proxy("nginx", port, [nginx, "-p", str(self.folder), "-c", str(path)], self.folder)

    def start_remand(self, name, mode):
        port = free_port()
        path = self.folder / f"{name}.toml"
        path.write_text(REMAND.format(port=port, provider=self.provider, mode=mode))
        command = [str(self.remand), "serve", "--config", str(path)]
        # As nginx is run: a line in the log for what goes wrong, none for each exchange.
        return Proxy(name, port, command, self.folder, {"REMAND_LOG": self.options.log})

    def load(self, to, scene, size, exchanges, connections, unseen=False):
        ask = [str(self.rig), "load", "--to", f"127.0.0.1:{to.port}", "--scene", scene, "--request", str(size),
               "--exchanges", str(exchanges), "--connections", str(connections), *(["--unseen"] if unseen else [])]
        run = subprocess.run(["taskset", "-c", "0", *ask], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{to.name}: {scene}: {run.stderr.strip()}\n{self.told(to)}")
        return json.loads(run.stdout)

    def told(self, proxy):
        log = self.folder / f"{proxy.name}.log"
        return log.read_text(errors="replace")[-2000:] if log.exists() else ""

    def cost(self, proxies):
        """CPU seconds for 10,000 exchanges."""
        names = [proxy.name for proxy in proxies]
        print("CPU seconds of the proxy for 10,000 exchanges")
        row("answer", "request", *names, *[f"{name}/nginx" for name in names if "nginx" in names and name != "nginx"])
        for scene, size, unseen, bound in SCENES:
            exchanges = 40 if self.options.quick else self.options.exchanges // (4 if size > 1 << 18 else 1)
            spent, digests = {name: [] for name in names}, set()
            for turn in range(self.options.rounds + 1):
                for proxy in proxies:
                    before = proxy.cpu()
                    # The first turn opens connections and warms caches, and does not count.
                    told = self.load(proxy, scene, size, exchanges if turn else max(exchanges // 10, 8), 8, unseen)
                    if turn:
                        spent[proxy.name].append((proxy.cpu() - before) * 10_000 / told["exchanges"])
                    digests.add(told["digest"])
            if len(digests) > 1:
                sys.exit(f"{scene}: the proxies gave different answers")
            medians = {name: statistics.median(values) for name, values in spent.items()}
            ratios = {}
            if "nginx" in medians and not self.options.quick:
                ratios = {name: medians[name] / medians["nginx"] for name in names if name != "nginx"}
            row(scene, size_name(size) + (", new" if unseen else ""), *[f"{value:.2f}" for value in medians.values()],
                *[f"x{ratio:.2f}" for ratio in ratios.values()])
            if bound:
                self.hold_to(f"{scene}, {size_name(size)}: CPU in nginx's", ratios.get("remand"), MOST_CPU)

    def first_byte(self, proxies):
        """Microseconds until the first event, one connection."""
        ways = [Direct(self.provider), *proxies]
        print("\nMicroseconds to the first byte of a stream, one connection, 32 KB request, median")
        row("", "", *[way.name for way in ways], *[f"{proxy.name} adds" for proxy in proxies])
        firsts = {way.name: [] for way in ways}
        for _ in range(self.options.rounds):
            for way in ways:
                exchanges = 10 if self.options.quick else 500
                firsts[way.name].append(self.load(way, "stream", 32 << 10, exchanges, 1)["first_us"])
        medians = {name: statistics.median(values) for name, values in firsts.items()}
        added = {proxy.name: medians[proxy.name] - medians["direct"] for proxy in proxies}
        row("", "", *[f"{value:.0f}" for value in medians.values()], *[f"+{value:.0f}" for value in added.values()])
        self.hold_to("first byte added, in microseconds", added["remand"], MOST_FIRST_BYTE)

    def memory(self):
        """KiB of memory for each held stream, beside the held call."""
        streams, held = (4, 20 << 10) if self.options.quick else (self.options.streams, 200 << 10)
        print(f"\nMemory of a held stream: {streams} at once, each holding a call with {held >> 10} KiB of arguments")
        row("arguments", "request", "KiB grown", "call, KiB", "beside, KiB")
        for piece, request in [(64, 8 << 10), (64, 32 << 10), (1024, 8 << 10)]:
            grown, call = self.hold(streams, held, piece, request)
            row(f"{piece} an event", size_name(request), f"{grown:.0f}", f"{call:.0f}", f"{grown - call:.0f}")
            self.hold_to(f"KiB beside a held call ({piece} bytes an event, {size_name(request)} request)",
                         grown - call, MOST_BESIDE)

    def hold(self, streams, held, piece, request):
        """What one of many streams takes, and its call's bytes as they came; both in KiB."""
        proxy = self.start_remand(f"held-{piece}-{request}", "enforce")
        try:
            self.load(proxy, "stream-call", request, 8, 8)
            before = proxy.resident()
            hold = [str(self.rig), "hold", "--to", f"127.0.0.1:{proxy.port}", "--streams", str(streams),
                    "--held", str(held), "--piece", str(piece), "--request", str(request)]
            agents = subprocess.Popen(["taskset", "-c", "0", *hold], stdout=subprocess.PIPE, text=True)
            while (told := self.ask_provider("held"))["waiting"] < streams:
                if agents.poll() is not None:
                    sys.exit(f"a held stream ended early\n{self.told(proxy)}")
                time.sleep(0.05)
            settle(proxy)
            after = proxy.resident()
            self.ask_provider("release")
            if "done" not in agents.communicate(timeout=60)[0]:
                sys.exit(f"a held stream did not end well\n{self.told(proxy)}")
        finally:
            proxy.stop()
        return (after - before) / streams, told["sent"] / 1024

    def ask_provider(self, what):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.provider}/{what}") as answer:
            return json.load(answer)

    def hold_to(self, what, value, most):
        if value is not None and value > most and not self.options.quick:
            self.missed.append(f"{what}: {value:.2f}, and should be no more than {most:g}")


def settle(proxy):
    """Waits until the proxy has read all that was sent."""
    before = -1.0
    while (spent := proxy.cpu()) != before:
        before = spent
        time.sleep(0.3)


def row(*cells):
    print("  ".join(f"{cell:>14}" if place else f"{cell:<14}" for place, cell in enumerate(cells)), flush=True)


def size_name(size):
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit(f"{process.args} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    sys.exit(f"{process.args} does not listen")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few exchanges, a debug build, and no figure counts")
    parser.add_argument("--no-build", action="store_true", help="take what is built")
    parser.add_argument("--only", choices=["cost", "first-byte", "memory"], help="one part of it")
    parser.add_argument("--scene", help="the cost of one scene only")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--exchanges", type=int, default=10_000, help="in one round")
    parser.add_argument("--streams", type=int, default=200, help="held at once")
    parser.add_argument("--observe", action="store_true", help="a second Remand, that only observes")
    parser.add_argument("--nginx-buffers", action="store_true", help="nginx reads a request whole before it asks")
    parser.add_argument("--remand", help="another program than the one in target/")
    parser.add_argument("--log", default="warn", help="REMAND_LOG")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    if options.scene:
        SCENES[:] = [scene for scene in SCENES if scene[0] == options.scene]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        bench = Bench(options, pathlib.Path(folder))
        bench.build()
        proxies = bench.start(stack)
        if options.only in (None, "cost"):
            bench.cost(proxies)
        if options.only in (None, "first-byte"):
            bench.first_byte(proxies)
        if options.only in (None, "memory"):
            bench.memory()
    print("\n" + ("\n".join(["missed:", *bench.missed]) if bench.missed else "every target is met" if not options.quick else "it runs"))
    sys.exit(bool(bench.missed))


if __name__ == "__main__":
    main()
