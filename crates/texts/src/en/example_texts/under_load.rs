//! The examples under load: hotspots, and what helps. A test measures every figure in these texts
//! (`cli/tests/program/load_examples.rs`).

use super::example_text::ExampleText;
use tabletop_workspace::Place;

/// One text for each example under load.
pub(super) struct LoadExamples {
    pub talk_two_nodes: ExampleText,
    pub talk_hot_key: ExampleText,
    pub talk_four_nodes: ExampleText,
    pub twitter_time: ExampleText,
    pub twitter_advertiser: ExampleText,
    pub twitter_reversed: ExampleText,
    pub celebrity: ExampleText,
    pub celebrity_salted: ExampleText,
    pub flash_sale: ExampleText,
    pub flash_sale_load_test: ExampleText,
    pub resize_before: ExampleText,
    pub resize_during: ExampleText,
    pub failing_node: ExampleText,
}

pub(super) const ENGLISH: LoadExamples = LoadExamples {
    talk_two_nodes: ExampleText {
        title: "No hot key: 2 nodes",
        about: "4,800 reads per second of 200 rows, spread evenly, take 42% of the busier node on average, and the p99 is 2.06 ms. The \
                next two examples send the same number of reads, most of them for one row.",
        places: &[
            ("4,800 reads per second", Place::Streams),
            ("42% of the busier node", Place::Nodes),
            ("the p99 is 2.06 ms", Place::Latency),
        ],
    },
    talk_hot_key: ExampleText {
        title: "A hot key: 2 nodes",
        about: "Now one row gets 98.5% of the same reads. One node serves the row: its node is at 96% on average, and the p99 rises \
                from 2.06 ms to 12.4 ms.",
        places: &[
            ("one row gets 98.5%", Place::Diagnoses),
            ("its node is at 96%", Place::Nodes),
            ("from 2.06 ms to 12.4 ms", Place::Latency),
        ],
    },
    talk_four_nodes: ExampleText {
        title: "A hot key: 4 nodes",
        about: "Twice the nodes hardly help: the p99 only falls from 12.4 ms to 11.5 ms. On average all 4 nodes are at 24%, but \
                the hot row stays on one of them, which is still at 96%.",
        places: &[
            ("from 12.4 ms to 11.5 ms", Place::Latency),
            ("4 nodes are at 24%", Place::Nodes),
            ("the hot row stays on one of them", Place::Heatmap),
        ],
    },
    twitter_time: ExampleText {
        title: "Twitter's key 1 under load: time first",
        about: "All new engagements go to the end of the table, so one of 4 nodes is at 100% on average, and the mean of all is \
                25%. In one minute 128,878 requests wait for 10 s and expire, and splits do not help, because new rows always \
                land after the last split.",
        places: &[
            ("to the end of the table", Place::Heatmap),
            ("one of 4 nodes is at 100%", Place::Nodes),
            ("wait for 10 s and expire", Place::Latency),
            ("splits do not help", Place::Diagnoses),
        ],
    },
    twitter_advertiser: ExampleText {
        title: "Twitter's key 2 under load: advertiser first",
        about: "Each advertiser has its own part of the keys, so the same 25,000 requests per second go to all 4 nodes, of which \
                the busiest is at 36% on average. The p99 is 1.32 ms, and no request expires.",
        places: &[
            ("its own part of the keys", Place::Heatmap),
            ("25,000 requests per second", Place::Streams),
            ("at 36%", Place::Nodes),
            ("The p99 is 1.32 ms", Place::Latency),
        ],
    },
    twitter_reversed: ExampleText {
        title: "Twitter's key 3 under load: advertiser reversed",
        about: "With the ids of advertisers reversed, the p99 is 1.32 ms as with the second key, and the busiest of 4 nodes is \
                at 34% on average. Reversing spreads ids that are assigned in order and whose latest are the busiest; these are \
                not.",
        places: &[
            ("the p99 is 1.32 ms", Place::Latency),
            ("at 34%", Place::Nodes),
            ("these are not", Place::Heatmap),
        ],
    },
    celebrity: ExampleText {
        title: "A celebrity, unsalted",
        about: "80% of the new replies are for one user and land at the end of that user's rows, so one of 4 nodes is at 92% on \
                average, and the mean of all is 34%. In one minute 68,595 requests expire, although the tablet splits: new rows \
                always land after the last split.",
        places: &[
            ("80% of the new replies", Place::Streams),
            ("at the end of that user's rows", Place::Heatmap),
            ("one of 4 nodes is at 92%", Place::Nodes),
            ("68,595 requests expire", Place::Latency),
            ("new rows always land after the last split", Place::Diagnoses),
        ],
    },
    celebrity_salted: ExampleText {
        title: "A celebrity, salted",
        about: "With 8 salts the same replies go to 8 parts of the keys, the busiest of 4 nodes is at 42% on average, and the \
                p99 is 1.38 ms instead of 10,002 ms. The price is a read of the celebrity's replies: it is 8 ranges instead of \
                1.",
        places: &[
            ("8 parts of the keys", Place::Heatmap),
            ("at 42%", Place::Nodes),
            ("1.38 ms instead of 10,002 ms", Place::Latency),
            ("8 ranges instead of 1", Place::Query),
        ],
    },
    flash_sale: ExampleText {
        title: "A flash sale, cold",
        about: "The table is 1 tablet on one of 2 nodes until the sale raises 500 reads per second to 9,000 at 90 s, which is more than a node can \
                serve. The tablet splits at 91 s, and halves move at 95 s, but until then reads wait: the p99 is 1,712 ms, and the longest \
                takes 2,441 ms.",
        places: &[
            ("1 tablet on one of 2 nodes", Place::Heatmap),
            ("500 reads per second to 9,000", Place::Streams),
            ("the p99 is 1,712 ms", Place::Latency),
        ],
    },
    flash_sale_load_test: ExampleText {
        title: "A flash sale after a load test",
        about: "A load test of 4,500 random reads per second from 10 s to 80 s splits the tablet at 12 s, and a half moves to the other node at \
                15 s. The sale finds both nodes ready: the p99 of its reads is 3.18 ms instead of 1,712 ms, and the longest takes 20.2 ms.",
        places: &[
            ("a half moves to the other node", Place::Nodes),
            ("3.18 ms instead of 1,712 ms", Place::Latency),
        ],
    },
    resize_before: ExampleText {
        title: "Resize before a peak",
        about: "A third node is added at 20 s, and by 305 s 3 of the 16 tablets have moved to it, because tablets move slowly: \
                a cluster takes about 20 minutes to balance after it has grown. The peak of 13,200 reads per second at 360 s finds \
                it serving, and the p99 is 3.63 ms.",
        places: &[
            ("A third node is added at 20 s", Place::Nodes),
            ("3 of the 16 tablets", Place::Heatmap),
            ("13,200 reads per second", Place::Streams),
            ("3.63 ms", Place::Latency),
        ],
    },
    resize_during: ExampleText {
        title: "Resize during a peak",
        about: "The third node is added at 370 s, 10 s after the peak has begun, and until the peak ends at 480 s only 2 of the 16 tablets move \
                to it. The p99 is 1,761 ms instead of 3.63 ms: nodes help when they are added before they are needed.",
        places: &[
            ("The third node is added at 370 s", Place::Nodes),
            ("2 of the 16 tablets", Place::Heatmap),
            ("1,761 ms instead of 3.63 ms", Place::Latency),
        ],
    },
    failing_node: ExampleText {
        title: "A node fails",
        about: "Node B of 3 fails at 40 s, and requests for its tablets wait for about 5 s until the other nodes take over: the \
                longest takes 5,593 ms, and none expires. An empty node replaces it at 100 s, and 95% of all requests take at \
                most 1.24 ms.",
        places: &[
            ("Node B of 3 fails", Place::Nodes),
            ("the longest takes 5,593 ms", Place::Latency),
            ("An empty node replaces it", Place::Heatmap),
        ],
    },
};
