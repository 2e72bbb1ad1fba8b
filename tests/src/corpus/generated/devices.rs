//! Devices, vehicles and nature: measurements.

use super::Generated;

/// Many measures in each event of a device.
pub(super) fn sensors_wide() -> Generated {
    Generated::new(1, 4_000)
        .random(150, 2.0)
        .column("ts", |e| e.time("%Y-%m-%d %H:%M:%S.%L"))
        .column("device_id", |e| format!("dev-{}", e.entity + 1))
        .column("site", |e| format!("site-{}", e.fixed(1, 12)))
        .column("fw", |e| ["1.0.2", "1.1.0", "2.0.0-rc1"][e.fixed(2, 3) as usize].into())
        .column("temp", |e| e.slow(20.0, 9.0, 2))
        .column("hum", |e| e.slow(50.0, 40.0, 1))
        .column("press", |e| e.slow(1013.0, 12.0, 1))
        .column("co2", |e| e.slow(900.0, 500.0, 0))
        .column("pm25", |e| e.slow(40.0, 38.0, 0))
        .column("volt", |e| e.near(230.0, 5.0, 1))
        .column("rssi", |e| e.slow(-75.0, 35.0, 0))
        .column("batt", |e| e.slow(52.0, 48.0, 0))
        .column("uptime", |e| (e.earlier * 317 + e.fixed(3, 1_000_000)).to_string())
        .column("err", |e| e.int(0, 4))
        .column("rpm", |e| e.slow(3_000.0, 2_900.0, 0))
        .column("flow", |e| if e.below(5) < 2 { String::new() } else { e.near(25.0, 25.0, 2) })
        .column("noise", |e| if e.is_one_of(50) { "NaN".into() } else { e.near(45.0, 30.0, 1) })
        .column("lux", |e| e.slow(25_000.0, 24_000.0, 0))
        .column("status", |e| e.pick(&["OK", "OK", "OK", "OK", "WARN", "ERR"]))
}

/// One measure in each event: what was measured is a field.
pub(super) fn sensors_narrow() -> Generated {
    Generated::new(2, 4_800)
        .rounds(40, 60)
        .in_bursts(4)
        .column("time", |e| e.iso())
        .column("sensor", |e| format!("S{:03}", e.entity))
        .column("metric", |e| ["temperature", "humidity", "pressure", "battery"][e.index as usize % 4].into())
        .column("value", |e| e.slow(50.0, 49.0, 2))
}

/// Whole numbers as the only measure, which vary more than the names of the sites.
pub(super) fn integer_measures() -> Generated {
    Generated::new(3, 2_500)
        .random(20, 20.0)
        .column("time", |e| e.iso())
        .column("site", |e| format!("site-{}", e.entity + 1))
        .column("co2_ppm", |e| e.slow(1_100.0, 700.0, 0))
        .column("occupants", |e| e.slow(16.0, 15.0, 0))
}

/// A time and whole numbers, without anything to look up.
pub(super) fn measures_only() -> Generated {
    Generated::new(4, 3_000)
        .rounds(1, 30)
        .column("time", |e| e.iso())
        .column("flow", |e| e.slow(5_400.0, 4_400.0, 0))
        .column("pressure", |e| e.slow(550.0, 340.0, 0))
        .column("level", |e| e.slow(50.0, 48.0, 0))
}

/// A file without a header line.
pub(super) fn no_header() -> Generated {
    Generated::new(5, 1_200)
        .random(30, 45.0)
        .headless()
        .column("time", |e| e.iso())
        .column("station", |e| format!("st{}", e.entity + 1))
        .column("level", |e| e.slow(450.0, 430.0, 0))
        .column("state", |e| e.pick(&["dry", "wet", "wet", "flood"]))
}

/// Readings that are numbered for each sensor, without a clock.
pub(super) fn motes() -> Generated {
    Generated::new(13, 2_400)
        .panel(6, 5)
        .column("reading", |e| (e.earlier + 1).to_string())
        .column("mote_id", |e| (e.entity + 1).to_string())
        .column("indoor", |e| e.fixed(1, 2).to_string())
        .column("humidity", |e| e.slow(46.0, 3.0, 2))
        .column("temperature", |e| e.slow(27.0, 2.0, 2))
        .column("label", |e| u8::from(e.is_one_of(60)).to_string())
}

/// One device whose name is in each event.
pub(super) fn one_pump() -> Generated {
    Generated::new(6, 900)
        .rounds(1, 10)
        .column("timestamp", |e| e.time("%s"))
        .column("device", |_| "pump-1".into())
        .column("rpm", |e| e.slow(1_900.0, 900.0, 0))
        .column("bearing_temp", |e| e.slow(60.0, 15.0, 1))
        .column("vibration", |e| e.near(0.4, 0.4, 3))
}

/// Readings of which some were sent twice.
pub(super) fn resent_readings() -> Generated {
    Generated::new(7, 2_000)
        .rounds(25, 300)
        .with_resent(20)
        .column("read_at", |e| e.iso())
        .column("gateway", |e| format!("gw{}", e.entity / 5))
        .column("probe", |e| format!("probe-{:02}", e.entity))
        .column("soil_moisture", |e| e.slow(50.0, 44.0, 0))
        .column("soil_temp", |e| e.slow(12.0, 8.0, 1))
}

/// Readings every 15 minutes, sorted by meter.
pub(super) fn energy_meters() -> Generated {
    Generated::new(8, 4_032)
        .from("2026-01-05")
        .panel(6, 900)
        .column("meter_id", |e| format!("DE00{}", e.number_of_entity(10)))
        .column("interval_start", |e| e.time("%Y-%m-%d %H:%M"))
        .column("kwh", |e| e.slow(0.35, 0.34, 3))
        .column("quality", |e| e.pick(&["A", "A", "A", "A", "E"]))
}

/// Vehicles that report their position, fuel and a counter of kilometres.
pub(super) fn vehicles() -> Generated {
    Generated::new(9, 4_000)
        .random(60, 1.5)
        .column("vin", |e| format!("WVWZZZ1K{:09}", e.fixed(1, 1_000_000_000)))
        .column("recorded_at", |e| e.time("%Y-%m-%dT%H:%M:%S.%LZ"))
        .column("odometer_km", |e| (20_000 + e.fixed(2, 90_000) + e.earlier * 2).to_string())
        .column("speed_kmh", |e| e.slow(65.0, 60.0, 0))
        .column("fuel_pct", |e| e.slow(52.0, 47.0, 0))
        .column("lat", |e| e.slow(48.2, 0.5, 5))
        .column("lon", |e| e.slow(11.5, 0.7, 5))
        .column("gear", |e| e.int(1, 6))
        .column(
            "fault",
            |e| if e.is_one_of(40) { e.pick(&["P0301", "P0420", "U0100"]) } else { String::new() },
        )
}

/// Positions of ships with identifiers of nine digits.
pub(super) fn ships() -> Generated {
    Generated::new(10, 3_000)
        .random(45, 4.0)
        .column("mmsi", |e| e.number_of_entity(9))
        .column("base_date_time", |e| e.time("%Y-%m-%dT%H:%M:%S.%L"))
        .column("lat", |e| e.slow(54.0, 1.5, 5))
        .column("lon", |e| e.slow(8.0, 2.0, 5))
        .column("sog", |e| e.slow(9.0, 9.0, 1))
        .column("cog", |e| e.slow(180.0, 178.0, 0))
        .column("vessel_type", |e| ["30", "52", "60", "70", "80"][e.fixed(1, 5) as usize].into())
}

/// Tracks of bicycles, with a number of each point in its track.
pub(super) fn bicycles() -> Generated {
    Generated::new(11, 3_000)
        .panel(10, 5)
        .json_lines()
        .column("track", |e| format!("ride-{:04}", 1_200 + e.entity))
        .column("seq", |e| e.earlier.to_string())
        .column("at", |e| e.time("%s000"))
        .column("pos.lat", |e| e.slow(52.5, 0.05, 6))
        .column("pos.lon", |e| e.slow(13.4, 0.08, 6))
        .column("ele", |e| e.slow(40.0, 9.0, 1))
}

/// Earthquakes: places without anything that has several events.
pub(super) fn quakes() -> Generated {
    Generated::new(12, 1_500)
        .from("2026-02-01")
        .random(1, 380.0)
        .column("time", |e| e.time("%Y-%m-%dT%H:%M:%S.%LZ"))
        .column("latitude", |e| e.near(36.0, 30.0, 4))
        .column("longitude", |e| e.near(-120.0, 50.0, 4))
        .column("depth", |e| e.near(20.0, 19.0, 2))
        .column("mag", |e| e.near(2.2, 2.1, 1))
        .column("net", |e| e.pick(&["nc", "ci", "ak", "ak", "us"]))
        .column("id", |e| format!("ev{}", 70_000_000 + e.below(100_000) * 1_500 + e.index))
}
