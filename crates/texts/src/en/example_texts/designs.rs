//! The examples of designs. A test measures every figure in these texts
//! (`cli/tests/program/examples.rs`).

use super::example_text::ExampleText;
use tabletop_workspace::Place;

/// One text for each example of designs.
pub(super) struct DesignExamples {
    pub algolia_narrow: ExampleText,
    pub algolia_wide: ExampleText,
    pub twitter: ExampleText,
    pub zorder: ExampleText,
    pub salt_whole_key: ExampleText,
    pub salt_part: ExampleText,
    pub salt_forward: ExampleText,
    pub java_salt: ExampleText,
    pub time_buckets: ExampleText,
    pub row_per_user: ExampleText,
    pub newest_first: ExampleText,
    pub iot: ExampleText,
    pub index_tables: ExampleText,
    pub ad_profile: ExampleText,
}

pub(super) const ENGLISH: DesignExamples = DesignExamples {
    algolia_narrow: ExampleText {
        title: "Algolia, narrow",
        about: "20,000 events are 20,000 rows of one cell, which holds all facets of the event as JSON. The 336 events of one \
                user are 1 range, but all 143 kB of them are returned, whichever facets you need.",
        places: &[("336 events of one user", Place::Query), ("143 kB of them are returned", Place::Cost)],
    },
    algolia_wide: ExampleText {
        title: "Algolia, wide",
        about: "The same events are 240,000 cells, one for each facet, so a filter can pick some of them in the engine. Brand \
                and colour of one user's events are 55.7 kB; all facets are 222 kB here, and 143 kB in the narrow design, where \
                a filter cannot pick facets.",
        places: &[
            ("240,000 cells", Place::Anatomy),
            ("Brand and colour of one user's events", Place::Pattern(0)),
            ("all facets are 222 kB here", Place::Pattern(1)),
        ],
    },
    twitter: ExampleText {
        title: "Twitter's three row keys",
        about: "With the time first, one tablet takes 100% of the writes, and a read of one advertiser scans 20,000 rows for \
                175; with the advertiser first, these are 1 range of 175 rows, and the hottest tablet takes less than 6%. \
                Reversing the advertiser's id spreads ids that are assigned in order; these are not, so the third key is no \
                better than the second.",
        places: &[
            ("one tablet takes 100% of the writes", Place::Strip(0)),
            ("scans 20,000 rows for 175", Place::Pattern(0)),
            ("less than 6%", Place::Strip(1)),
            ("the third key is no better", Place::Figures),
        ],
    },
    zorder: ExampleText {
        title: "Z-order of earthquakes",
        about: "Two hex digits of a Z-order cover a rectangle of the map: the 766 earthquakes from 135° to 112.5° west and \
                33.75° to 45° north are 1 range, and no other row is read. Google's slides start with a bit of the longitude \
                (4d), GeoMesa with a bit of the latitude (8e): the prefix differs, the rows do not; the box on the map is 18 \
                ranges, which read 1,015 rows for 1,013.",
        places: &[
            ("are 1 range", Place::Pattern(1)),
            ("the prefix differs, the rows do not", Place::Pattern(2)),
            ("18 ranges, which read 1,015 rows for 1,013", Place::Pattern(0)),
        ],
    },
    salt_whole_key: ExampleText {
        title: "Salt of the whole key",
        about: "Without a salt one tablet takes 100% of the writes; with 8 salts the hottest takes 13%. The price is a read of \
                one hour: it is 8 ranges instead of 1.",
        places: &[
            ("one tablet takes 100% of the writes", Place::Strip(0)),
            ("the hottest takes 13%", Place::Strip(1)),
            ("8 ranges instead of 1", Place::Pattern(0)),
        ],
    },
    salt_part: ExampleText {
        title: "Salt of a part of the key",
        about: "The salt is a hash of the user only, so the 336 events of one user are 1 range; with a salt of the whole key \
                they are 8. The price is that a busy user stays on one tablet: the hottest takes 15% of the writes instead of \
                6%.",
        places: &[("are 1 range", Place::Pattern(0)), ("15% of the writes instead of 6%", Place::Strip(0))],
    },
    salt_forward: ExampleText {
        title: "Salt of new events only",
        about: "Events from 03:00 on have a salt and older keys stay as they are, so an hour across the cut-over is 9 ranges (8 \
                salts, and the keys without one), and an hour before it is 1 range. The writes spread from then on: the hottest \
                tablet takes 13% of them, compared with 100% without a salt.",
        places: &[
            ("is 9 ranges", Place::Pattern(0)),
            ("is 1 range", Place::Pattern(1)),
            ("takes 13% of them", Place::Strip(0)),
            ("100% without a salt", Place::Strip(1)),
        ],
    },
    java_salt: ExampleText {
        title: "Google's Java sample loses rows",
        about: "The sample puts the remainder of a signed hash before the key, so 38.1% of these rows start with a minus sign, \
                and its scan of the prefixes 0 to 3 returns 3,095 of 5,000. Salts in Tabletop, and in the code that it \
                generates, are never negative.",
        places: &[("start with a minus sign", Place::Keys), ("returns 3,095 of 5,000", Place::Cost)],
    },
    time_buckets: ExampleText {
        title: "Time series by bucket",
        about: "A row for each day holds the 24 hours as cells, so June is 30 rows instead of 720, and the year takes 384 kB \
                instead of 588 kB. Both keys start with the time, so one tablet takes 100% of the writes: buckets do not change \
                that.",
        places: &[
            ("the 24 hours as cells", Place::Anatomy),
            ("30 rows instead of 720", Place::Pattern(0)),
            ("384 kB instead of 588 kB", Place::Figures),
            ("one tablet takes 100% of the writes", Place::Strip(0)),
        ],
    },
    row_per_user: ExampleText {
        title: "Row per user",
        about: "All events of a user are cells of one row, with their times: 500 rows instead of 20,000, and one user is 1 row \
                instead of 336. The price is unbounded rows, which the advice warns about.",
        places: &[
            ("500 rows instead of 20,000", Place::Figures),
            ("1 row instead of 336", Place::Pattern(0)),
            ("the advice warns", Place::Warnings),
        ],
    },
    newest_first: ExampleText {
        title: "Newest first",
        about: "The time is written so that later times sort first, so a read of 10 rows returns the newest 10 events of a user \
                and reads no others. In the second design the same read returns the oldest.",
        places: &[
            ("returns the newest 10 events", Place::Pattern(0)),
            ("the second design", Place::Strip(1)),
        ],
    },
    iot: ExampleText {
        title: "IoT sensors",
        about: "With the device first, one phone is 1 range of 10 rows, and the hottest tablet takes 11% of the writes; with \
                the time first, the same read scans 5,000 rows, and one tablet takes 100%. Each measurement has a column, so a \
                filter returns the WiFi of one phone as 10 of 70 cells.",
        places: &[
            ("1 range of 10 rows", Place::Pattern(0)),
            ("11% of the writes", Place::Strip(0)),
            ("one tablet takes 100%", Place::Strip(1)),
            ("10 of 70 cells", Place::Pattern(1)),
        ],
    },
    index_tables: ExampleText {
        title: "Index tables and counters",
        about: "Each event is written to three tables: all 988 conversions are 1 range of the index by type instead of a scan \
                of 20,000 rows, and the counts of one user are 1 row of 18 sums instead of 336 events. The price is 2.84 MB \
                instead of 1.37 MB, and three writes per event.",
        places: &[
            ("1 range of the index by type", Place::Pattern(0)),
            ("1 row of 18 sums", Place::Pattern(1)),
            ("2.84 MB instead of 1.37 MB", Place::Figures),
        ],
    },
    ad_profile: ExampleText {
        title: "An ad profile as an object",
        about: "Each user is a row with 3 data types, whose values are Protobuf messages: 300 events are 100 objects of 9 \
                values each. A read of one object is 1 range of 1 row; choose Objects under Show to see its fields and a chart \
                of its embedding.",
        places: &[("1 range of 1 row", Place::Cost), ("choose Objects under Show", Place::RowViews)],
    },
};
