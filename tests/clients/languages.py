"""Google's clients for Node.js and Go: each runs a program that creates tables, writes and reads rows, and checks the answers."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from kit import equal, go_program

HERE = pathlib.Path(__file__).parent


def succeeds(clients, command, **named):
    environment = {**os.environ, "BIGTABLE_EMULATOR_HOST": clients.server.address, "METADATA_SERVER_DETECTION": "none"}
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, env=environment, **named)
    equal(ran.returncode, 0, f"the exit code of {command[0]}, which has printed:\n{ran.stdout}{ran.stderr}")


def test_node(clients):
    modules = os.environ.get("TABLETOP_NODE_MODULES")
    if not modules:
        raise RuntimeError("TABLETOP_NODE_MODULES is not set: start the tests with cargo xtask clients")
    with tempfile.TemporaryDirectory() as folder:
        # The program's imports are searched in its own folder.
        pathlib.Path(folder, "node_modules").symlink_to(modules, target_is_directory=True)
        shutil.copy(HERE / "google.mjs", folder)
        succeeds(clients, ["node", "google.mjs"], cwd=folder)


def test_go(clients):
    program = go_program("google")
    if program:
        succeeds(clients, [program])
