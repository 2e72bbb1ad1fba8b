"""A server that is stopped or killed and started again has all acknowledged writes."""

import signal
import tempfile
import threading

from google.cloud.bigtable.data import ReadRowsQuery, RowMutationEntry, SetCell
from kit import CLUSTER, INSTANCE, Clients, Server, equal


def all_rows(table):
    return {row.row_key: [cell.value for cell in row] for row in table.read_rows(ReadRowsQuery())}


def test_everything_is_there_again(program):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        clients = Clients(server)
        table_id, name = clients.table()
        table = clients.data.get_table(INSTANCE, table_id)
        table.bulk_mutate_rows([RowMutationEntry(f"r{at:03}", SetCell("f", "q", str(at), 1000)) for at in range(500)])
        view = {"subset_view": {"row_prefixes": [b"r00"], "family_subsets": {"f": {"qualifier_prefixes": [b""]}}}}
        clients.tables.create_authorized_view(parent=name, authorized_view_id="v", authorized_view=view).result()
        instances = [each.name for each in clients.instances.list_instances(parent="projects/clients").instances]
        before = all_rows(table)
        for how in [signal.SIGTERM, signal.SIGKILL]:
            table.mutate_row("last", SetCell("f", "q", how.name, 1000))
            before[b"last"] = [how.name.encode()]
            # The clients reconnect to the server.
            server.stop(how)
            server.start()
            equal(all_rows(table), before)
            equal(len(all_rows(clients.data.get_authorized_view(INSTANCE, table_id, "v"))), 10)
            equal([each.name for each in clients.instances.list_instances(parent="projects/clients").instances], instances)
            equal(clients.instances.get_cluster(name=CLUSTER).serve_nodes, 1)
        clients.close()
        server.stop()


def test_a_restart_in_the_midst(program):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        clients = Clients(server)
        table_id, _ = clients.table()
        table = clients.data.get_table(INSTANCE, table_id)
        written = []
        done = threading.Event()

        def write():
            at = 0
            while not done.is_set():
                # The client retries while the server is down.
                table.mutate_row(f"r{at:06}", SetCell("f", "q", str(at), 1000), operation_timeout=60)
                written.append(b"r%06d" % at)
                at += 1

        thread = threading.Thread(target=write)
        thread.start()
        for how in [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL]:
            seen = len(written)
            while len(written) < seen + 50 and thread.is_alive():
                done.wait(0.01)
            server.stop(how)
            server.start()
        done.set()
        thread.join()
        found = all_rows(table)
        equal([key for key in written if key not in found], [], "rows that were answered and are not there")
        equal(len(written) > 100, True)
        clients.close()
        server.stop()
