"""Google's emulator as a Bigtable: `tabletop push`, `run` and `load`. That of 2020 neither counts what it sees nor aggregates cells."""

import json
import pathlib
import subprocess
import tempfile

from kit import Server, contains, equal, go_program

NARROW = {"kind": "narrow"}
LIMIT = 10
# Of an open loop at a low rate. A machine that stalls for half a minute leaves some unanswered.
LOAD_ANSWERED_MIN = 0.95
WORKSPACE = {
    "version": 1,
    "name": "Clicks",
    "source": {"generated": {"seed": 1, "events": 2_000, "apps": 3, "users": 50, "user_skew": 0.5}},
    "designs": [
        {"name": "By user", "template": "{salt(4, user_token)}#{user_token}#{timestamp:iso}", "layout": NARROW},
        {"name": "By app", "index_of": "By user", "template": "{app_id}#{timestamp:iso}", "layout": NARROW},
        {
            "name": "Wide",
            "template": "{app_id}#{user_token}",
            "layout": {"kind": "wide"},
            "families": [{"family": "e", "gc_rule": {"max_versions": 3}, "aggregate": None}],
        },
    ],
    "queries": [
        {"name": "All", "query": {"rows": "all", "filter": None}},
        {"name": "First rows", "query": {"rows": "all", "filter": None, "rows_limit": LIMIT}},
        {
            "name": "An app",
            "query": {"rows": {"fields": {"equals": [["app_id", "app-00"]]}}, "filter": None},
            "tables": ["By app"],
            "limits": {"rows_returned_min": 1, "rows_seen_per_row_max": 1.5},
        },
        {"name": "Keys", "query": {"rows": "all", "filter": {"row_key_regex": ".*app-00.*"}}},
        {"name": "Families", "query": {"rows": "all", "filter": {"family_name_regex": "c.*"}}},
        {"name": "Newest", "query": {"rows": "all", "filter": {"chain": [{"cells_per_column_limit": 1}, {"strip_value": True}]}}},
        {
            "name": "Two",
            "query": {"rows": "all", "filter": {"interleave": [{"family_name_regex": "view"}, {"column_qualifier_regex": ".*brand"}]}},
        },
    ],
    "traffic": {
        "seed": 7,
        "streams": [
            {"name": "writes", "what": "write_events", "per_second": 40},
            {"name": "updates", "what": "updates", "per_second": 20},
            {"name": "reads", "what": "point_reads", "per_second": 40},
            {"name": "scans", "what": {"scans": {"rows": 5}}, "per_second": 20},
            {"name": "apps", "what": {"pattern": "An app"}, "per_second": 10},
            {"name": "counts", "what": "read_modify_write", "per_second": 20},
            {"name": "deletes", "what": "deletes", "per_second": 10},
        ],
    },
}
SUMS = {
    "version": 1,
    "name": "Sums",
    "source": WORKSPACE["source"],
    "designs": [
        {
            "name": "Sums",
            "template": "{app_id}",
            "layout": {
                "kind": "columns",
                "columns": [{"family": "n", "qualifier": "{event_type}", "value": "1", "time": "zero"}],
            },
            "families": [{"family": "n", "gc_rule": "keep_all", "aggregate": "sum"}],
        }
    ],
}


class Emulator:
    """A process of the emulator, without tables, and files of workspaces. The process ends with its input, so it survives no test."""

    def __init__(self, emulator, tabletop):
        self.tabletop = tabletop
        self.folder = tempfile.TemporaryDirectory()
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([emulator], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.said.seek(0)
        said = self.said.read()
        self.said.close()
        self.folder.cleanup()
        equal(code, 0, f"the exit code of the emulator, which has printed:\n{said}")

    def file(self, workspace):
        path = pathlib.Path(self.folder.name, "workspace.json")
        path.write_text(json.dumps(workspace), encoding="utf-8")
        return str(path)

    def start(self, *arguments):
        return subprocess.run([self.tabletop, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=120)

    def run(self, *arguments, code=0):
        """Runs `tabletop`, and returns what it prints, or its errors if it must fail."""
        ran = self.start(*arguments)
        equal(ran.returncode, code, f"the exit code of {arguments}, which has printed:\n{ran.stdout}{ran.stderr}")
        return ran.stderr if code else ran.stdout

    def push(self, file, address):
        return "".join(self.run("push", file, "--address", address, "--design", name) for name in ["By user", "Wide"])


def shell(language, emulator, address, *words):
    return emulator.run(language, "--address", address, "--project", "tabletop", "--instance", "tabletop", *words)


def cbt(emulator, address, *words):
    return shell("cbt", emulator, address, *words)


def patterns(report):
    """Returns each access pattern of each design."""
    return [(design["name"], query) for design in report["designs"] for query in design["queries"]]


def test_push(tabletop):
    program = go_program("emulator")
    if not program:
        return
    server = Server(tabletop)
    try:
        with Emulator(program, tabletop) as emulator:
            file = emulator.file(WORKSPACE)
            for command in ["run", "load"]:
                contains(emulator.run(command, file, "--address", emulator.address, code=2), "does not exist: push design")
            said = emulator.push(file, emulator.address)
            for table in ["by-user", "by-app", "wide"]:
                contains(said, f"Created table {table}: ")
            emulator.push(file, server.address)
            # The second time, each cell is written with the same timestamp.
            contains(emulator.push(file, emulator.address), "Table by-user exists, and its families match.")
            for table in ["by-user", "by-app", "wide"]:
                rows = cbt(emulator, emulator.address, "read", table)
                equal(rows == cbt(emulator, server.address, "read", table), True, f"the rows of {table} are the same")
                equal(rows.count("\n") > 2_000, True, f"{table} has rows")
            # The emulator does not say how many rows it returns.
            contains(shell("hbase", emulator, emulator.address, "scan 'wide', {LIMIT => 3}"), "3 row(s)")
    finally:
        server.stop()


def test_run(tabletop):
    program = go_program("emulator")
    if not program:
        return
    with Emulator(program, tabletop) as emulator:
        file = emulator.file(WORKSPACE)
        emulator.push(file, emulator.address)
        here = patterns(json.loads(emulator.run("run", file, "--format", "json")))
        there = patterns(json.loads(emulator.run("run", file, "--address", emulator.address, "--format", "json")))
        equal(len(there), 2 * len(WORKSPACE["queries"]))
        for (design, query), (_, asked) in zip(here, there):
            what, counts, found = f"{design}, {query['name']}", query["stats"], asked["instance"]
            equal(found["error"], None, what)
            equal(found["misses"], [], what)
            if query["name"] == "First rows":
                # Each salt is a read of its own, with the whole limit.
                equal(found["rows_returned"], LIMIT * found["reads"], what)
                continue
            counted = [counts["rows_returned"], counts["cells_returned"]]
            equal([found["rows_returned"], found["cells_returned"]], counted, what)
        if any(asked["instance"]["rows_seen"] is None for _, asked in there):
            text = " ".join(emulator.run("run", file, "--address", emulator.address).split())
            contains(text, "does not count what it sees: rows_seen_per_row_max and cells_seen_max are compared with the counts here only")


def test_load(tabletop):
    program = go_program("emulator")
    if not program:
        return
    with Emulator(program, tabletop) as emulator:
        file = emulator.file(WORKSPACE)
        emulator.push(file, emulator.address)
        # Much longer than an answer takes, also on a machine that is busy.
        options = ["--address", emulator.address, "--seconds", "3", "--rate", "0.5", "--warm-up", "1", "--deadline", "30"]
        report = json.loads(emulator.run("load", file, *options, "--format", "json"))
        equal([stream["name"] for stream in report["streams"]], [stream["name"] for stream in WORKSPACE["traffic"]["streams"]])
        for stream in [report["warm_up"], *report["streams"], report["all"]]:
            name, due, sent, errors = stream["name"], stream["due"], stream["sent"], stream["errors"]
            equal(due > 0, True, f"requests of {name} are due")
            equal([stream["late"] + sent, stream["answered"] + sum(errors.values()), stream["refused"]], [due, sent, 0], name)
            equal(set(errors) <= {"DeadlineExceeded"}, True, f"{name} has no other errors: {errors}, {stream['first_error']}")
            latencies = [stream[f"latency_micros_{name}"] for name in ["p50", "p95", "p99", "max"]]
            equal(0 < latencies[0] and latencies == sorted(latencies), True, f"{latencies} of {name} are latencies")
        requests = report["all"]
        equal(120 < requests["due"] < 400, True, f"{requests['due']} requests are about 80 a second")
        share = requests["answered"] / requests["due"]
        equal(share > LOAD_ANSWERED_MIN, True, f"{share} of the requests are answered in time: {requests}")
        of = {stream["name"]: stream for stream in report["streams"]}
        rows = int(cbt(emulator, emulator.address, "count", "by-user"))
        new = rows - 2_000
        # What is not answered in time may be done all the same.
        least, most = of["writes"]["answered"] - of["deletes"]["sent"], of["writes"]["sent"]
        equal(least <= new <= most, True, f"{new} rows are new, of {least} to {most}")


def test_aggregates(tabletop):
    program = go_program("emulator")
    if not program:
        return
    with Emulator(program, tabletop) as emulator:
        file = emulator.file(SUMS)
        pushed = emulator.start("push", file, "--address", emulator.address)
        if pushed.returncode == 0:
            contains(pushed.stdout, "Wrote 3 rows")
            return
        # The emulator is too old.
        refused = f"The emulator at {emulator.address} does not aggregate cells, which table sums needs (families: n)"
        contains(pushed.stderr, refused)
        equal(cbt(emulator, emulator.address, "ls"), "", "the tables")
