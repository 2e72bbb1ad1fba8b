//! Servers: metrics, logs, traces.

use super::Generated;

/// Metrics of hosts as nested JSON.
pub(super) fn server_metrics() -> Generated {
    Generated::new(61, 3_000)
        .rounds(30, 10)
        .in_bursts(3)
        .json_lines()
        .column("@timestamp", |e| e.time("%Y-%m-%dT%H:%M:%S.%LZ"))
        .column("host.name", |e| format!("web{:02}.eu", e.entity))
        .column("host.os", |e| ["debian", "alpine"][e.fixed(1, 2) as usize].into())
        .column("metric", |e| ["cpu.user", "mem.used", "disk.io"][e.index as usize % 3].into())
        .column("value", |e| e.slow(0.5, 0.49, 3))
}

/// Metrics of hosts with times in nanoseconds.
pub(super) fn server_metrics_nanoseconds() -> Generated {
    Generated::new(62, 2_400)
        .rounds(20, 15)
        .in_bursts(3)
        .column("metric", |e| ["sys.cpu.user", "sys.cpu.idle", "sys.mem.free"][e.index as usize % 3].into())
        .column("host", |e| format!("web{:02}", e.entity))
        .column("ts", |e| e.time("%s%f000"))
        .column("value", |e| e.slow(0.5, 0.49, 3))
}

/// Lines of containers as nested JSON.
pub(super) fn container_logs() -> Generated {
    Generated::new(63, 3_000)
        .random(24, 0.4)
        .json_lines()
        .column("time", |e| e.time("%Y-%m-%dT%H:%M:%S.%f123Z"))
        .column("stream", |e| e.pick(&["stdout", "stdout", "stdout", "stderr"]))
        .column("kubernetes.namespace", |e| ["shop", "shop", "ops", "auth"][e.fixed(1, 4) as usize].into())
        .column("kubernetes.pod", |e| format!("api-{:08x}-{:05x}", e.fixed(2, 1 << 32), e.fixed(3, 1 << 20)))
        .column("kubernetes.container", |e| ["app", "proxy"][e.fixed(4, 2) as usize].into())
        .column("level", |e| e.pick(&["info", "info", "info", "warn", "error"]))
        .column("log", |e| {
            let count = 4 + e.below(9);
            e.words(count)
        })
}

/// Requests of a content delivery network.
pub(super) fn cdn_log() -> Generated {
    Generated::new(64, 3_000)
        .random(400, 0.05)
        .delimited("\t")
        .column("timestamp", |e| e.time("%d/%b/%Y:%H:%M:%S %z"))
        .column("edge", |e| e.pick(&["FRA1", "FRA2", "IAD3", "NRT1"]))
        .column("client_ip", |e| format!("203.0.{}.{}", e.fixed(1, 114), e.fixed(2, 255)))
        .column("method", |e| e.pick(&["GET", "GET", "GET", "HEAD"]))
        .column("url", |e| {
            format!("https://{}.example.com/v/{}.ts", e.pick(&["img", "video", "www"]), e.skewed(700))
        })
        .column("status", |e| e.pick(&["200", "200", "200", "206", "304", "404"]))
        .column("bytes", |e| e.int(120, 2_000_000))
        .column("cache", |e| e.pick(&["HIT", "HIT", "MISS"]))
        .column("request_id", |e| e.uuid().replace('-', ""))
}

/// Events of an application with times in seconds and a fraction, as Python's `time.time()` has them.
pub(super) fn app_events() -> Generated {
    Generated::new(66, 2_500)
        .random(180, 2.3)
        .column("user", |e| format!("user{:04}", e.fixed(1, 10_000)))
        .column("timestamp", |e| e.time("%s.%f"))
        .column("page", |e| e.pick(&["/", "/", "/login", "/cart", "/settings"]))
        .column("took_ms", |e| (3 + e.skewed(900)).to_string())
}

/// Spans of traces with times in microseconds.
pub(super) fn spans() -> Generated {
    Generated::new(65, 3_000)
        .random(500, 0.3)
        .in_bursts(4)
        .column("trace_id", |e| e.uuid_of(1_000_000 + e.index / 4).replace('-', ""))
        .column("span_id", |e| e.uuid().replace('-', "")[..16].into())
        .column("start_time", |e| (e.micros + e.index as i64 % 4 * 1_700).to_string())
        .column("duration_us", |e| e.int(80, 400_000))
        .column("service", |e| e.pick(&["gateway", "cart", "search", "payment"]))
        .column("operation", |e| e.pick(&["GET /cart", "POST /pay", "query", "lookup"]))
        .column("error", |e| (e.below(25) == 0).to_string())
}
