"""Servers for the measurements: a Redis and a PostgreSQL of their own on loopback, and roles of the built program.

    with Rig() as rig:
        rig.start_parley("persister")
        ...

Everything ends with the `with`. The program is PARLEY_BINARY, else .build/release/parley.
"""
import glob, json, os, pathlib, pwd, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.request, zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = str(ROOT / ".build/release/parley")
API_KEY = "pk_benchmarks_0123456789abcdef"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds=60):
    """Whether a condition holds in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def accepts(port):
    """Whether somebody listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def bulk(*parts):
    """A Redis command as it goes over the wire."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in encoded)


def partition(thread):
    """The number of a thread's partition, by channels_redis' hash of its group's channel."""
    return (zlib.crc32(f"asgi__group__{thread}".encode()) & 0xFFF) >> 6


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kib(pid):
    return next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))


class Rig:
    def __init__(self, serializer="msgpack"):
        """The default is Parley's. Benchmarks that write events themselves do it in JSON, which nodes read whatever is set."""
        self.serializer = serializer

    def __enter__(self):
        self.binary = os.environ.get("PARLEY_BINARY", BUILT)
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin") or [os.path.dirname(shutil.which("initdb") or "")])
        self.directory = tempfile.mkdtemp(prefix="parley-bench-")
        self.children = []
        self.redis_port, self.database_port = free_port(), free_port()
        self.start(
            ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", self.directory])
        os.chmod(self.directory, 0o755)
        subprocess.run(
            self.as_owner([f"{self.programs}/initdb", "-D", f"{self.directory}/data", "-U", "parley", "-A", "trust",
                           "-E", "UTF8"]), check=True, stdout=subprocess.DEVNULL)
        self.start(self.as_owner(
            [f"{self.programs}/postgres", "-D", f"{self.directory}/data", "-p", str(self.database_port),
             "-k", self.directory, "-c", "listen_addresses=127.0.0.1"]))
        self.until(lambda: self.psql("SELECT 1") == "1")
        self.environment = dict(
            os.environ, PARLEY_REDIS=f"redis://127.0.0.1:{self.redis_port}", PARLEY_SECRET="x" * 40,
            PARLEY_DATABASE=f"postgres://parley@127.0.0.1:{self.database_port}/postgres",
            PARLEY_CHANNELS_SERIALIZER=self.serializer, PARLEY_API_KEYS=f"benchmarks:{API_KEY}", PARLEY_LOG_LEVEL="notice")
        subprocess.run([self.binary, "migrate"], env=self.environment, check=True, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        for child in reversed(self.children):
            child.send_signal(signal.SIGINT)
        for child in self.children:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def as_owner(self, command):
        """PostgreSQL refuses to run as root."""
        if os.geteuid() != 0:
            return command
        owner = pwd.getpwnam("postgres")
        os.chown(self.directory, owner.pw_uid, owner.pw_gid)
        return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"] + command

    def start(self, command, **more):
        log = open(f"{self.directory}/log", "a")
        child = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.directory, **more)
        self.children.append(child)
        return child

    def start_parley(self, role, *flags, wait=True):
        """Starts a role; its process has the port as `port`. `serve` has no Redis."""
        port = free_port()
        environment = {name: value for name, value in self.environment.items() if role != "serve" or name != "PARLEY_REDIS"}
        child = self.start([self.binary, role, "--port", str(port), "--node", f"{role}{port}", *flags], env=environment)
        child.port = port
        if wait:
            self.until(lambda: self.is_ready(port))
        return child

    def is_ready(self, port):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2).status == 200
        except OSError:
            return False

    def database_processes(self):
        """The process ids of PostgreSQL. Those of connections that have ended are missing, and with them what they cost."""
        postmaster = int(open(f"{self.directory}/data/postmaster.pid").readline())
        children = open(f"/proc/{postmaster}/task/{postmaster}/children").read().split()
        return [postmaster, *map(int, children)]

    def until(self, condition, seconds=60):
        if wait_until(condition, seconds):
            return
        sys.exit(f"gave up waiting:\n{open(f'{self.directory}/log').read()[-3000:]}")

    def psql(self, sql):
        """The answer without frills; `None` for an error."""
        done = subprocess.run(
            [f"{self.programs}/psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.database_port), "-U", "parley",
             "-d", "postgres", "-c", sql], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    def redis_pipe(self, commands):
        """Runs many commands as fast as Redis takes them."""
        pipe = subprocess.Popen(
            ["redis-cli", "-p", str(self.redis_port), "--pipe"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        for command in commands:
            pipe.stdin.write(command)
        pipe.stdin.close()
        if pipe.wait() != 0:
            sys.exit("Redis did not take the commands")

    def call(self, port, method, path, body=None, user=None):
        headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
        if user:
            headers["X-Parley-User"] = user
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method, headers=headers,
                                         data=None if body is None else body.encode())
        return json.load(urllib.request.urlopen(request))

    def metric(self, port, name):
        """The sum of a metric's series."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        return sum(float(line.split()[-1]) for line in text.splitlines()
                   if line.startswith(name) and line[len(name)] in " {")
