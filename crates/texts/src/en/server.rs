//! A running server.

use alloc::format;

use super::numbers::{bytes, count, duration, rate, thousands};

texts!(Server {
    title: "Server",
    not_connected: "there is no connection to the server",
    /// The connection.
    connecting: "Connecting to the server…",
    connecting_about: "This page comes from a running Tabletop server and shows what its clients do.",
    broken: "The server stopped, or the connection was lost.",
    broken_keeps: "Showing the last data received.",
    retries: |seconds: u32| match seconds {
        0 => "Reconnecting…".into(),
        _ => format!("Reconnecting in {}.", count(seconds.into(), "second", "seconds")),
    },
    retry: "Connect now",
    details: "Details",
    wrong_token: "This is the address of an earlier run of the server.",
    wrong_token_advice: "Each run has its own token. Open the address that tabletop serve --page printed \
                         last.",
    mended: "Reconnected to the server.",
    /// A server without tables.
    empty: "The server has no tables yet",
    empty_about: "Start your program or its tests with this variable, and their tables appear here as soon as they are created:",
    empty_socket: "Clients reach the API at this socket. Their tables appear here as soon as they are created:",
    export: |address: &str| format!("export BIGTABLE_EMULATOR_HOST={address}"),
    copy: "Copy the line",
    copied: "The line is copied.",
    waits: "Waiting for the first table…",
    /// The list of tables.
    tables: "Tables of the server",
    where_it_is: |address: &str, clients: u32| {
        format!("{address} · {}", count(clients.into(), "client", "clients"))
    },
    data: |folder: Option<&str>| match folder {
        Some(folder) => format!("Tables are stored in {folder}"),
        None => "Tables are in memory only".into(),
    },
    by_load: "Busiest first",
    stored: |rows: u64, size: u64, tablets: u32| {
        format!(
            "{} · {} · {}",
            count(rows, "row", "rows"),
            bytes(size),
            count(tablets.into(), "tablet", "tablets")
        )
    },
    load: |reads: f32, writes: f32| {
        format!("{} reads/s · {} writes/s", rate(reads.into()), rate(writes.into()))
    },
    idle: "no requests",
    left_out: |tables: u32| format!("{} more are not shown.", thousands(tables.into())),
    no_tables: "No tables.",
    closed: "Not open: no client has used it since the server started.",
    open: "Open",
    trouble: |reason: &str| format!("It cannot be read: {reason}"),
    /// The headline: the busiest table, and what is wrong with the one shown.
    quiet: "No reads or writes right now.",
    busiest: |table: &str, reads: f32, writes: f32| {
        format!(
            "{table} is the busiest table: {} reads and {} writes per second.",
            rate(reads.into()),
            rate(writes.into())
        )
    },
    no_hotspot: "No hotspot so far.",
    is_wrong: |what: &str, table: &str| format!("{what} in {table}."),
    /// A table.
    counting: |seconds: u32| format!("Counted for {}", duration(u64::from(seconds) * 1_000_000)),
    pause: "Pause",
    go_on: "Resume",
    paused: |second: u32| format!("Paused at {}:{:02}: the server keeps counting.", second / 60, second % 60),
    pause_key: "Space",
    window: "Time shown",
    windows: ["All", "Last minute", "Last 5 minutes", "Last 15 minutes"],
    template: "Key template",
    template_about: "Name the parts of this table's keys, such as {user}#{ts}, to make the prefixes next to \
                     the picture exact.",
    template_guessed: |text: &str| {
        format!("Without a template, keys are split at their separator, as by {text}.")
    },
    template_none: "Without a template, these keys have no common parts to show next to the picture.",
    template_clear: "Remove template",
    reads: "reads",
    writes: "writes",
    throughput: "Rows per second",
    latency: "Latency of calls",
    tablets: |tablets: usize| count(tablets as u64, "tablet", "tablets"),
    tablets_left_out: |tablets: usize| {
        format!("{} with the least load are not shown.", count(tablets as u64, "tablet", "tablets"))
    },
    /// Start, end, rows, bytes, reads per second, writes per second, share.
    tablet_columns: ["From", "To, exclusive", "Rows", "Bytes", "Reads/s", "Writes/s", "Load"],
    first_key: "start of the table",
    last_key: "end of the table",
    rows: |rows: u64, exact: bool| if exact { thousands(rows) } else { format!("about {}", thousands(rows)) },
    bytes: |size: u64| bytes(size),
    per_second: |per_second: f64| rate(per_second),
    families: "Column families",
    no_families: "No column families.",
    keeps_all: "keeps all cells",
    /// Queries.
    query: |table: &str| format!("Query {table}"),
    query_about: "Reads from here are not counted in the picture.",
    rows_title: "Rows",
    written: "The row is written to the server.",
    /// The effect of a manual write.
    by_hand: "Manual writes change the server's table at once. There is no undo.",
    /// The shell.
    shell: "Shell on the server",
    shell_about: |instance: &str| format!("The tables of {instance} on the server"),
    shell_instance: |instance: &str| format!("On the server, {instance}:"),
    no_instance: "the server has no instance yet: a client creates one with its first table",
});
