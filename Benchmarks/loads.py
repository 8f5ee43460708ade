"""The loads of the measurements, and what they cost: c/load.c on servers of a rig, and the C floor doing the same.

A load is measured between two instants after the warm-up, at which the processor time of every process is read from /proc and
the gateways' counters from /metrics. In between nobody asks the servers anything. Afterwards the database is asked how many
messages it has.
"""
import dataclasses, functools, json, os, pathlib, sqlite3, subprocess, tempfile, time, urllib.request
from rig import API_KEY, Rig, accepts, cpu_seconds, free_port, wait_until

WARM_UP = 4


@dataclasses.dataclass
class Load:
    """Threads of so many members, each with one socket; 0 gateways are `parley serve` on SQLite."""
    threads: int
    members: int
    rate: float
    stored: float = 0.1
    gateways: int = 1

    def member(self, index):
        """The user and the thread of a socket; threads come in turn."""
        return f"u{index}", f"t{index % self.threads}"


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


programs = tempfile.TemporaryDirectory(prefix="parley-c-")


@functools.cache
def compiled(name):
    """The path of a C program of c/."""
    source, program = pathlib.Path(__file__).resolve().parent / f"c/{name}.c", f"{programs.name}/{name}"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
    return program


class Cluster:
    """Gateways with a Redis, a PostgreSQL and a persister of their own, or `parley serve`; ends with the `with`."""

    def __init__(self, binary, gateways):
        self.binary, self.gateways = os.path.abspath(binary), gateways

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

    def create(self, load):
        """The users and threads of a load."""
        lines = [{"thread": {"id": f"t{number}", "title": f"Thread {number}"}} for number in range(load.threads)]
        for user, thread in map(load.member, range(load.threads * load.members)):
            lines += [{"user": {"id": user, "username": user}}, {"member": {"thread": thread, "user": user}}]
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rest.port}/v1/admin/import", data="\n".join(map(json.dumps, lines)).encode(),
            headers={"Authorization": f"Bearer {API_KEY}"})
        if errors := json.load(urllib.request.urlopen(request))["errors"]:
            raise SystemExit(f"the users could not be created: {errors[0]}")

    def stored(self):
        """How many messages the database has."""
        if self.gateways:
            return int(self.rig.psql("SELECT count(*) FROM messages"))
        with sqlite3.connect(f"file:{self.rig.directory}/parley.db?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM messages").fetchone()[0]

    def connect(self, load, *how):
        """A process with a socket for each member, and how many of them connected a second. It sends `how` when it gets a line."""
        self.create(load)
        run = subprocess.Popen(
            [compiled("load"), *map(str, how or [1, 0, 0, 0]), API_KEY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for index in range(load.threads * load.members):
            # The members of a thread are spread over the gateways.
            run.stdin.write(" ".join([*load.member(index), str(self.nodes[index // load.threads % len(self.nodes)].port)]) + "\n")
        run.stdin.write("\n")
        run.stdin.flush()
        if not (rate := run.stdout.readline()):
            raise SystemExit("the sockets could not be opened")
        return run, float(rate)

    def measure(self, load, seconds, while_measuring=None):
        """The figures of a load. `missing` are deliveries that did not reach a socket; -1 if anything else was wrong."""
        run, _ = self.connect(load, load.rate, WARM_UP, seconds, load.stored)
        before = self.stored()
        run.stdin.write("\n")
        run.stdin.flush()
        time.sleep(WARM_UP)
        cpu, accepted = self.cpu(), self.count("parley_messages_in_total")
        if while_measuring:
            while_measuring(self.nodes[0].pid)
        else:
            time.sleep(seconds - 1)
        used, accepted = {name: spent - cpu[name] for name, spent in self.cpu().items()}, self.count("parley_messages_in_total") - accepted
        found = json.loads(run.stdout.readline())
        run.wait()
        is_sound = not any(found[fault] for fault in ("disordered", "refused", "unacknowledged", "unconfirmed"))
        is_sound = wait_until(lambda: self.stored() - before == found["sent"], 30) and is_sound
        cost = {name: seconds * 1e6 / accepted for name, seconds in used.items()}
        return {
            "µs": cost["gateways"] / load.members,
            "tool µs": found["own_us_per_delivery"],
            **{f"{name} µs/msg": microseconds for name, microseconds in cost.items()},
            "whole µs/msg": sum(cost.values()),
            "p50 ms": found["p50_ms"],
            "p99 ms": found["p99_ms"],
            "stored p99 ms": found["stored_p99_ms"],
            "a second": found["deliveries_per_second"],
            "missing": found["missing"] or (0 if is_sound else -1),
        }


class Floor:
    """The C program that only reads and writes what a gateway reads and writes (c/floor.c)."""

    def measure(self, load, seconds):
        """µs of the server for a delivery, and the latency."""
        redis_port = free_port()
        children = [subprocess.Popen(["redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--save", ""], stdout=subprocess.DEVNULL)]
        try:
            wait_until(lambda: accepts(redis_port))
            ports = [free_port() for _ in range(max(1, load.gateways))]
            servers = [subprocess.Popen([compiled("floor"), "server", str(port), str(redis_port), str(load.threads)]) for port in ports]
            children += servers
            for port in ports:
                wait_until(lambda: accepts(port))
            client = subprocess.Popen(
                [compiled("floor"), "client", *map(str, [load.threads, load.members, load.rate, seconds, *ports])],
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
