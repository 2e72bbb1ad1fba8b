"""Drives `tabletop serve` through Google's clients, and Google's emulator with `tabletop`: python main.py PROGRAM [PART OF A NAME]"""

import logging
import sys
import tempfile
import time
import traceback
import warnings

import classic
import data_reads
import data_writes
import emulator
import generated
import instance_admin
import languages
import restarts
import table_admin
from kit import Clients, Server

# The client warns that it uses an emulator, and its own measurements fail when a call is refused.
warnings.filterwarnings("ignore", category=RuntimeWarning)
logging.disable(logging.WARNING)

MODULES = [data_writes, data_reads, classic, table_admin, instance_admin, generated, languages]


def tests(modules, wanted):
    for module in modules:
        for name, act in list(vars(module).items()):
            if name.startswith("test_") and wanted in f"{module.__name__}.{name}":
                yield f"{module.__name__}.{name[5:]}", act


def run(where, chosen, arguments, failed):
    for name, act in chosen:
        start = time.monotonic()
        try:
            act(*arguments)
            print(f"ok      {where} {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:
            failed.append(f"{where} {name}")
            print(f"FAILED  {where} {name}\n{traceback.format_exc(limit=-4)}", flush=True)


def main():
    program, wanted = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    failed = []
    for where in ["memory", "folder"]:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(program, folder if where == "folder" else None)
            try:
                clients = Clients(server)
                run(where, tests(MODULES, wanted), [clients], failed)
                clients.close()
            finally:
                server.stop()
    run("folder", tests([restarts], wanted), [program], failed)
    run("google", tests([emulator], wanted), [program], failed)
    if failed:
        sys.exit(f"{len(failed)} tests of clients FAILED: {', '.join(failed)}")


main()
