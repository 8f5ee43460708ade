"""The loads of the measurements, and what they cost: `parley bots` on servers of a rig, and the C floor doing the same.

A load is measured between two instants after the warm-up, at which the processor time of every process is read from /proc and
the gateways' counters from /metrics. In between nobody asks the servers anything.
"""
import dataclasses, json, os, pathlib, resource, signal, subprocess, tempfile, time
from rig import API_KEY, Rig, accepts, cpu_seconds, free_port, wait_until

WARM_UP = 4
# What happens besides the load, for which a message could not be charged: none of it.
PLAIN = "--preset smoke --classic-share 0 --typing-share 0 --read-share 0 --arrivals even --connect-rate 2000"


@dataclasses.dataclass
class Load:
    """Threads of so many members, each member a bot with one socket; 0 gateways are `parley serve` on SQLite."""
    threads: int
    members: int
    rate: float
    stored: float = 0.1
    gateways: int = 1

    @property
    def flags(self):
        return (f"--bots {self.threads * self.members} --threads {self.threads} --members {self.members} --rate {self.rate} "
                f"--stored-share {self.stored}")


LOADS = {
    "rooms": Load(100, 10, 200),
    "rooms-unstored": Load(100, 10, 200, stored=0),
    "rooms-2000": Load(100, 10, 2000),
    "rooms-2000-unstored": Load(100, 10, 2000, stored=0),
    "stored": Load(100, 10, 2000, stored=0.5),
    "rooms-5000": Load(100, 10, 5000),
    "rooms-5000-unstored": Load(100, 10, 5000, stored=0),
    "pairs": Load(500, 2, 400),
    "two-nodes": Load(100, 10, 200, gateways=2),
    "fanout": Load(1, 1000, 20),
    "sqlite": Load(100, 10, 200, gateways=0),
}


def finish(run, seconds=150):
    """Whether a load that was run was sound. One that takes too long is ended, as by Ctrl-C, which still reports."""
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
        run.wait(seconds)
    if run.returncode not in (0, 1):
        raise SystemExit("the load could not be run")
    return run.returncode == 0


class Cluster:
    """Gateways with a Redis, a PostgreSQL and a persister of their own, or `parley serve`; ends with the `with`."""

    def __init__(self, binary, gateways, bots=None):
        self.binary, self.gateways, self.bots = os.path.abspath(binary), gateways, os.path.abspath(bots or binary)

    def __enter__(self):
        os.environ.update(PARLEY_BINARY=self.binary, PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS="0")
        self.rig = Rig().__enter__()
        try:
            self.rest = self.rig.start_parley("persister") if self.gateways else self.rig.start_parley("serve", "--database", "sqlite:parley.db")
            self.nodes = [self.rig.start_parley("gateway") for _ in range(self.gateways)] or [self.rest]
        except BaseException:
            self.rig.__exit__()
            raise
        return self

    def __exit__(self, *reason):
        self.rig.__exit__(*reason)

    def cpu(self):
        """Processor seconds so far, by kind of process."""
        seconds = {"gateways": sum(cpu_seconds(node.pid) for node in self.nodes)}
        if self.gateways:
            redis = next(child for child in self.rig.children if "redis-server" in child.args)
            seconds.update({
                "Redis": cpu_seconds(redis.pid), "persister": cpu_seconds(self.rest.pid),
                "PostgreSQL": sum(cpu_seconds(pid) for pid in self.rig.database_processes())})
        return seconds

    def count(self, name):
        return sum(self.rig.metric(node.port, name) for node in self.nodes)

    def start_bots(self, flags, report):
        """`parley bots`, whose report will be in a file."""
        command = [self.bots, "bots", *flags.split(), "--rest", f"http://127.0.0.1:{self.rest.port}", "--json", report]
        for node in self.nodes:
            command += ["--url", f"ws://127.0.0.1:{node.port}", "--metrics", f"http://127.0.0.1:{node.port}"]
        return subprocess.Popen(command, env=dict(os.environ, PARLEY_API_KEY=API_KEY), stdout=subprocess.DEVNULL)

    def idle(self, flags, while_running=lambda run: None):
        """The report of silent sockets; as many as the open files of a process allow, of which a gateway leaves a tenth free."""
        count = min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] * 7 // 8)
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            run = self.start_bots(f"--preset idle --bots {count} {flags}", report.name)
            while_running(run)
            finish(run)
            return json.load(open(report.name))

    def measure(self, load, seconds, flags="", while_measuring=None):
        """The figures of a load. `missing` are deliveries that did not reach a socket; -1 if the run was not sound otherwise."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            accepted = self.count("parley_messages_in_total")
            run = self.start_bots(f"{PLAIN} {load.flags} --duration {seconds} --warm-up {WARM_UP} {flags}", report.name)
            self.rig.until(lambda: run.poll() is not None or self.count("parley_messages_in_total") > accepted)
            time.sleep(WARM_UP)
            before, accepted = self.cpu(), self.count("parley_messages_in_total")
            if while_measuring:
                while_measuring(self.nodes[0].pid)
            else:
                time.sleep(seconds)
            after, accepted = self.cpu(), self.count("parley_messages_in_total") - accepted
            is_sound = finish(run)
            found = json.load(open(report.name))
        counts, latencies = found["counts"], found["latencies_ms"]
        cost = {name: (after[name] - before[name]) * 1e6 / accepted for name in after}
        missing = counts["scheduled"] * load.members - counts["delivered"]
        return {
            "µs": cost["gateways"] / load.members,
            "tool µs": found["tool"]["cpu_us_per_delivery"],
            **{f"{name} µs/msg": microseconds for name, microseconds in cost.items()},
            "whole µs/msg": sum(cost.values()),
            "p50 ms": latencies["delivery"]["p50"],
            "p99 ms": latencies["delivery"]["p99"],
            "stored p99 ms": (latencies.get("stored") or {}).get("p99") or 0,
            "a second": found["deliveries_per_second"],
            "missing": missing or (0 if is_sound else -1),
        }


class Floor:
    """The C program that only reads and writes what a gateway reads and writes (floor/floor.c)."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="parley-floor-")
        self.program = f"{self.directory.name}/floor"
        source = pathlib.Path(__file__).resolve().parent / "floor/floor.c"
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", self.program, source], check=True)

    def measure(self, load, seconds):
        """µs of the server for a delivery, and the latency."""
        redis_port = free_port()
        children = [subprocess.Popen(["redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--save", ""], stdout=subprocess.DEVNULL)]
        try:
            wait_until(lambda: accepts(redis_port))
            ports = [free_port() for _ in range(max(1, load.gateways))]
            servers = [subprocess.Popen([self.program, "server", str(port), str(redis_port), str(load.threads)]) for port in ports]
            children += servers
            for port in ports:
                wait_until(lambda: accepts(port))
            client = subprocess.Popen(
                [self.program, "client", *map(str, [load.threads, load.members, load.rate, seconds, *ports])],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            children.append(client)
            client.stdout.readline()
            before = sum(cpu_seconds(server.pid) for server in servers)
            client.stdin.write("\n")
            client.stdin.flush()
            found = json.loads(client.stdout.readline())
            cpu = sum(cpu_seconds(server.pid) for server in servers) - before
            deliveries = found["sent"] * load.members
            return {"µs": cpu * 1e6 / deliveries, "p50 ms": found["p50_ms"], "p99 ms": found["p99_ms"],
                    "a second": deliveries / seconds, "missing": found["missing"]}
        finally:
            for child in reversed(children):
                child.kill()
                child.wait()
