//! What people do: clicks, messages, games, ratings, visits.

use super::{Event, Generated};

/// Page views of which one in twenty has no user.
pub(super) fn clicks() -> Generated {
    Generated::new(21, 3_000)
        .random(700, 0.7)
        .column("Event Time", |e| e.time("%s%L"))
        .column("Session ID", |e| e.uuid_of(e.entity * 4 + e.earlier % 4))
        .column(
            "User",
            |e| if e.is_one_of(20) { String::new() } else { format!("u{}", e.number_of_entity(8)) },
        )
        .column("URL", |e| format!("https://shop.example.com/p/{}?x={}", e.skewed(5_000), e.below(9)))
        .column("Referrer", |e| e.pick(&["", "", "https://www.example.org/", "https://t.example/abc"]))
        .column("Search Term", |e| {
            e.pick(&["", "", "red shoes, size 42", "\"vintage\" lamp", "日本語 検索", "müsli"])
        })
        .column("Revenue", |e| if e.is_one_of(30) { e.near(60.0, 55.0, 2) } else { String::new() })
}

/// Messages whose identifiers begin with the time.
pub(super) fn chat() -> Generated {
    Generated::new(22, 2_500)
        .random(80, 6.0)
        .json_lines()
        .column("message_id", Event::uuid_v7)
        .column("room", |e| format!("room-{}", e.entity))
        .column("author.id", |e| format!("usr_{}", e.below(400)))
        .column("author.bot", |e| (e.below(12) == 0).to_string())
        .column("sent_at", |e| e.time("%Y-%m-%dT%H:%M:%S.%LZ"))
        .column("text", |e| {
            let count = 3 + e.below(12);
            e.words(count)
        })
}

/// Posts whose only clock is in their identifiers.
pub(super) fn posts() -> Generated {
    Generated::new(23, 2_000)
        .random(300, 9.0)
        .column("id", Event::snowflake)
        .column("user_id", |e| e.number_of_entity(9))
        .column("lang", |e| e.pick(&["en", "en", "es", "ja", "de"]))
        .column("likes", |e| e.skewed(2_000).to_string())
        .column("text", |e| {
            let count = 4 + e.below(20);
            e.words(count)
        })
}

/// Views of users with identifiers of nine digits.
pub(super) fn page_views() -> Generated {
    Generated::new(24, 3_000)
        .from("2026-04-01T06:00:00Z")
        .random(500, 1.1)
        .column("id", Event::ulid)
        .column("user_id", |e| e.number_of_entity(9))
        .column("viewed_at", |e| e.time("%Y-%m-%d %H:%M:%S.%L"))
        .column("path", |e| format!("/articles/{}", e.skewed(900)))
        .column("duration_ms", |e| e.int(100, 90_000))
        .column("device", |e| e.pick(&["mobile", "mobile", "desktop", "tablet"]))
}

/// Ratings with times of nine and ten digits, sorted by user and film.
pub(super) fn ratings() -> Generated {
    Generated::new(25, 3_000)
        .from("2001-08-01")
        .panel(40, 97_000)
        .column("userId", |e| (e.entity + 1).to_string())
        .column("movieId", |e| (1 + e.earlier * 37 + e.below(37)).to_string())
        .column("rating", |e| e.pick(&["0.5", "2.0", "3.0", "3.5", "4.0", "4.0", "4.5", "5.0"]))
        .column("timestamp", |e| (e.micros / 1_000_000 + e.fixed(1, 5_000_000) as i64).to_string())
}

/// Several events of a player in the same second.
pub(super) fn game() -> Generated {
    Generated::new(26, 3_000)
        .random(120, 5.0)
        .in_bursts(3)
        .column("event_id", Event::uuid)
        .column("player", |e| format!("p{:05}", e.fixed(1, 90_000)))
        .column("match", |e| format!("m{}", 7_000 + e.earlier / 60 + e.entity))
        .column("occurred", |e| e.iso())
        .column("action", |e| e.pick(&["move", "move", "jump", "shoot", "loot"]))
        .column("score", |e| e.int(0, 500))
        .column("level", |e| (1 + e.earlier / 20).to_string())
}

/// Loans of a library in France, in Windows-1252.
pub(super) fn library_loans() -> Generated {
    Generated::new(27, 1_500)
        .from("2026-01-05T08:00:00Z")
        .random(200, 900.0)
        .delimited(";")
        .windows_1252()
        .column("Prêté le", |e| e.time("%d/%m/%Y %H:%M:%S"))
        .column("Carte", |e| format!("C{}", e.number_of_entity(6)))
        .column("Titre", |e| {
            e.pick(&["L'Étranger", "Les Misérables", "Candide", "Germinal", "Phèdre", "Nadja"])
        })
        .column("Bibliothèque", |e| e.pick(&["Bellevue", "Saint-Étienne", "Vénissieux"]))
        .column("Amende €", |e| if e.is_one_of(8) { e.int(1, 9) + ",50" } else { "0,00".into() })
}

/// Vital signs of patients.
pub(super) fn vitals() -> Generated {
    Generated::new(28, 3_000)
        .from("2026-05-14T00:00:00Z")
        .rounds(50, 300)
        .column("patient_id", |e| format!("P-{}", e.number_of_entity(6)))
        .column("ward", |e| ["ICU", "Cardiology", "Surgery"][e.fixed(2, 3) as usize].into())
        .column("measured_at", |e| e.time("%m/%d/%Y %I:%M:%S %p"))
        .column("heart_rate", |e| e.slow(85.0, 40.0, 0))
        .column("spo2", |e| e.slow(95.0, 5.0, 0))
        .column("systolic", |e| if e.is_one_of(3) { String::new() } else { e.slow(130.0, 40.0, 0) })
        .column("note", |e| if e.is_one_of(15) { e.words(6) } else { String::new() })
}

/// Personalization events with the facets of their objects.
pub(super) fn facets() -> Generated {
    Generated::new(29, 2_500)
        .from("2019-05-28")
        .random(200, 1.0)
        .column("app_id", |e| format!("app-{:02}", e.fixed(1, 8)))
        .column("user_token", |e| e.uuid_of(e.entity))
        .column("timestamp", |e| e.time("%Y-%m-%dT%H:%M:%S.%LZ"))
        .column("event_type", |e| e.pick(&["view", "view", "view", "click", "conversion"]))
        .column("event_name", |e| e.pick(&["homepage", "search", "category", "product page"]))
        .column("object_id", |e| format!("obj-{}", e.skewed(500)))
        .column("facets", |e| {
            let (brand, color) = (e.pick(&["Apple", "Sony", "Nike"]), e.pick(&["Black", "Red", "White"]));
            format!("brand:{brand}|color:{color}")
        })
}
