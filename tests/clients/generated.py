"""Runs the code of `tabletop generate` with the official client of its language on a table of `tabletop push`."""

import csv
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from kit import INSTANCE, PROJECT, equal

HERE = pathlib.Path(__file__).parent
# The workspace and the rows of the test of Rust code.
WORKSPACE = HERE.parent.parent / "crates" / "cli" / "tests" / "generated"
DESIGN = "Salted"


class Generated:
    """Generated code in its own folder, and the table that it reads."""

    def __init__(self, clients, lang):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        for name in ["workspace.json", "orders.csv"]:
            shutil.copy(WORKSPACE / name, self.path)
        clients.count += 1
        table = f"orders{clients.count}"
        program, workspace = clients.server.command[0], str(self.path / "workspace.json")
        place = [workspace, "--design", DESIGN, "--project", PROJECT, "--instance", INSTANCE, "--table", table]
        subprocess.run([program, "generate", *place, "--output", str(self.path), lang], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "push", *place, "--address", clients.server.address], check=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def events(self):
        with open(self.path / "orders.csv", encoding="utf-8", newline="") as file:
            # An empty field has no value.
            return [{name: text for name, text in event.items() if text} for event in csv.DictReader(file)]


def module(path):
    spec = importlib.util.spec_from_file_location(f"generated_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def text(data):
    """Returns bytes in the form of rows.txt."""
    return "".join(chr(byte) if 32 <= byte <= 126 and byte != 92 else f"\\x{byte:02x}" for byte in data)


def expected():
    """Returns the rows of each query, by the name of its function."""
    answers = {}
    for line in (WORKSPACE / "rows.txt").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            rows = answers[line] = []
        else:
            rows.append(line)
    return answers


def test_queries_in_python(clients):
    with Generated(clients, "python") as generated:
        queries = module(generated.path / "queries.py")
        table = queries.open_table()
        answers = expected()
        equal([name for name in vars(queries) if name.startswith("read_")], list(answers), "the queries")
        for name, rows in answers.items():
            lines = []
            for row in getattr(queries, name)(table):
                lines.append("  " + text(row.row_key))
                for cell in row:
                    labels = "".join(f" {{{label}}}" for label in cell.labels)
                    column = f"{cell.family}:{text(cell.qualifier)}"
                    lines.append(f"    {column}@{cell.timestamp_micros}{labels}={text(cell.value)}")
            equal(lines, rows, name)
        table.close()
        keys = {text(module(generated.path / "row_key.py").row_key(event)) for event in generated.events()}
        equal(keys, {row[2:] for row in answers["read_all_orders"] if row[2] != " "}, "the keys of the events")


def test_queries_in_node(clients):
    modules = os.environ.get("TABLETOP_NODE_MODULES")
    if not modules:
        raise RuntimeError("TABLETOP_NODE_MODULES is not set: start the tests with cargo xtask clients")
    with Generated(clients, "node") as generated:
        # The code's imports are searched in its own folder.
        (generated.path / "node_modules").symlink_to(modules, target_is_directory=True)
        command = ["node", str(HERE / "generated.mjs"), str(generated.path)]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
        if ran.returncode:
            raise AssertionError(f"node ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        found, answers = {}, expected()
        for line in ran.stdout.splitlines():
            if not line.startswith(" "):
                rows = found[line] = []
            else:
                rows.append(line)
        # The client for Node.js cannot express a bitmask.
        answers.pop("read_by_bitmask")
        in_node = {re.sub("_(.)", lambda match: match[1].upper(), name): rows for name, rows in answers.items()}
        equal(sorted(found), sorted(in_node), "the queries")
        for name, rows in in_node.items():
            equal(found[name], rows, name)
