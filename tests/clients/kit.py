"""A server process, the official clients of it, and assertions."""

import os
import signal
import socket
import subprocess
import threading

import grpc
from google.api_core import exceptions
from google.cloud import bigtable, bigtable_admin_v2
from google.cloud.bigtable.data import BigtableDataClient
from google.cloud.bigtable_admin_v2.services import bigtable_instance_admin, bigtable_table_admin
from google.cloud.bigtable_v2.services import bigtable as bigtable_v2

PROJECT = "clients"
INSTANCE = "tests"
INSTANCE_NAME = f"projects/{PROJECT}/instances/{INSTANCE}"
CLUSTER = f"{INSTANCE_NAME}/clusters/tests-c1"


class Server:
    """A process of `tabletop serve`."""

    def __init__(self, program, folder=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.command = [program, "serve", "--address", self.address]
        if folder:
            self.command += ["--data", folder]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = " "
        said = ""
        while line and "BIGTABLE_EMULATOR_HOST" not in said:
            line = self.process.stdout.readline()
            said += line
        if self.address not in said:
            raise RuntimeError(f"the server does not print BIGTABLE_EMULATOR_HOST={self.address}, but:\n{said}")
        # Its later output must not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(timeout=30)
        if how == signal.SIGTERM:
            equal(code, 0, "the exit code")


class Clients:
    """All clients of Google's package, connected to one server."""

    def __init__(self, server):
        self.server = server
        os.environ["BIGTABLE_EMULATOR_HOST"] = server.address
        self.data = BigtableDataClient(project=PROJECT)
        self.classic = bigtable.Client(project=PROJECT, admin=True).instance(INSTANCE)
        huge = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self.channel = grpc.insecure_channel(server.address, options=huge)
        self.raw = bigtable_v2.BigtableClient(transport=bigtable_v2.transports.BigtableGrpcTransport(channel=self.channel))
        tables = bigtable_table_admin.transports.BigtableTableAdminGrpcTransport(channel=self.channel)
        self.tables = bigtable_admin_v2.BigtableTableAdminClient(transport=tables)
        instances = bigtable_instance_admin.transports.BigtableInstanceAdminGrpcTransport(channel=self.channel)
        self.instances = bigtable_instance_admin.BigtableInstanceAdminClient(transport=instances)
        self.count = 0
        self.instances.create_instance(
            parent=f"projects/{PROJECT}",
            instance_id=INSTANCE,
            instance={"display_name": "Tests of clients"},
            clusters={"tests-c1": {"location": f"projects/{PROJECT}/locations/europe-west1-b", "serve_nodes": 1}},
        ).result()

    def table(self, families=("f", "g"), **table):
        """Creates a table, and returns its id and its name."""
        self.count += 1
        table_id = f"t{self.count}"
        families = families if isinstance(families, dict) else {name: {} for name in families}
        request = {"parent": INSTANCE_NAME, "table_id": table_id, "table": {"column_families": families, **table}}
        self.tables.create_table(request=request)
        return table_id, f"{INSTANCE_NAME}/tables/{table_id}"

    def close(self):
        self.data.close()
        self.channel.close()


def go_program(name):
    """Returns the program of a source file in Go, or says that it is not there and returns None."""
    folder = os.environ.get("TABLETOP_GO_PROGRAMS")
    if not folder:
        print("        Google's client for Go is not installed: NOT tested", flush=True)
        return None
    return os.path.join(folder, name)


def equal(found, expected, what="the answer"):
    if found != expected:
        raise AssertionError(f"{what}\n    is   {found!r}\n    not  {expected!r}")


def contains(found, part):
    if part not in found:
        raise AssertionError(f"{found!r} does not contain {part!r}")


def refused(kind, act, *arguments, **named):
    """Asserts that a call is refused with this status, even if the client wraps the error, and returns the message."""
    kind = getattr(exceptions, kind)
    try:
        answer = act(*arguments, **named)
        if hasattr(answer, "__next__") or hasattr(answer, "__iter__"):
            answer = list(answer)
    except Exception as error:
        for each in causes(error):
            if isinstance(each, kind):
                return each.message
        raise AssertionError(f"refused with {list(causes(error))!r}, not with {kind.__name__}") from error
    raise AssertionError(f"was answered with {answer!r}, not refused with {kind.__name__}")


def causes(error):
    yield error
    if error.__cause__:
        yield from causes(error.__cause__)
    for each in getattr(error, "exceptions", ()):
        yield from causes(each)


def cells(row):
    """Returns a row of the data client in a form that can be compared."""
    return [(cell.family, cell.qualifier, cell.timestamp_micros, cell.value, cell.labels) for cell in row]


def short(row):
    """Returns the columns and values of a row, which are sufficient for most tests."""
    return [f"{cell.family}:{cell.qualifier.decode()}={cell.value.decode()}" for cell in row]
