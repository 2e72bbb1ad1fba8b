"""Writes one row far more often than others, until its input ends: python hot.py ADDRESS PROJECT INSTANCE TABLE"""

import itertools
import os
import sys
import threading

from google.cloud.bigtable.data import BigtableDataClient, RowMutationEntry, SetCell


def entry(key, value):
    return RowMutationEntry(key, SetCell("e", "kind", value))


def main():
    address, project, instance, table_id = sys.argv[1:]
    os.environ["BIGTABLE_EMULATOR_HOST"] = address
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    table = BigtableDataClient(project=project).get_table(instance, table_id)
    for number in itertools.count():
        if ended.wait(0.01):
            return
        even = entry(f"user{number % 20:02}#{number:06}", "even")
        table.bulk_mutate_rows([entry("user07#now", "hot") for _ in range(20)] + [even])


if __name__ == "__main__":
    main()
