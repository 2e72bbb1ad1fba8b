//! A salt moves rows but does not change any answer: the same query on the same events returns the
//! same rows, in the same order, from a salted table and from an unsalted one.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tabletop_engine::Instance;
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, LayoutWriter, Merge, Record, RowChoice, Template};
use tabletop_model::{
    Bytes, ColumnFamily, ReadRows, Response, Row, RowFilter, RowMutation, RowRange, TableRequest,
    TableSettings, TableSpec,
};
use tabletop_tests::arbitrary::{config, settings};
use tabletop_tests::{Database, read_all};

type Engine = Instance;

/// Values of user, kind, n and t.
type Event = (&'static str, &'static str, u32, u32);

const KEYS: [&str; 6] = [
    "{user},{t:iso}",
    "{t:iso}#{user}",
    "{user}#{kind}#{n:pad(3)}",
    "{kind:upper}/{user:reverse}-{t:reverse_time}",
    "{t:bucket(1h):hour}|{user}|{n}",
    "{user:hash(4)}{user},{t}",
];

/// The times of the events begin on 2023-11-14 and end on 2023-11-17.
const SALTS: [&str; 8] = [
    "{salt(2)}-",
    "{salt(7)}",
    "{salt(16, user)}-",
    "{salt(1000)}#",
    "{salt(2, from=2023-11-16)}-",
    "{salt(16, user, from=2023-11-15T10:00:00Z)}|",
    "{salt(1000, from=2023-11-15T10:00:00Z)}#",
    "{salt(7, from=2030-01-01)}-",
];

fn events() -> impl Strategy<Value = Vec<Event>> {
    // Some user names are prefixes of others.
    let user = select(vec!["u", "u1", "u10", "ada", "zoë"]);
    vec((user, select(vec!["click", "view"]), 0_u32..30, 0_u32..200), 1..60)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_salt_changes_no_answer(
        settings in settings(),
        events in events(),
        key in select(KEYS.to_vec()),
        salt in select(SALTS.to_vec()),
        kind in select(vec![LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity]),
        questions in vec(question(), 1..8),
    ) {
        let layout = Layout::new(kind);
        let plain = Table::new(key, &layout, settings.clone(), &events);
        let salted = Table::new(&format!("{salt}{key}"), &layout, settings, &events);
        let (mut plain, mut salted) = (plain, salted);
        // A filter sees the halves of a row from before and after a cut-over separately, and counts
        // the cells of each.
        let has_halves = salt.contains("from") && (kind == LayoutKind::RowPerEntity || !key.contains("{t"));
        for mut question in questions {
            question.filter.take_if(|filter| has_halves && filter.starts_with("cells_per_row"));
            let (expected, actual) = (plain.ask(&question), salted.ask(&question));
            prop_assert_eq!(logical(actual, &salted), logical(expected, &plain), "{:?}", question);
        }
    }

    #[test]
    fn fields_find_their_events(
        events in events(),
        key in select(KEYS.to_vec()),
        salt in select(vec!["", "{salt(4)}-", "{salt(3, user)}-", "{salt(4, from=2023-11-16)}-", "{salt(3, user, from=2023-11-15)}-"]),
        user in select(vec!["u", "u1", "u10", "ada", "zoë", "zed"]),
        times in (0_u32..200, 0_u32..200),
        parts in 0..8,
    ) {
        let layout = Layout::new(LayoutKind::Wide);
        let mut table = Table::new(&format!("{salt}{key}"), &layout, TableSettings::default(), &events);
        let choice = RowChoice::Fields {
            equals: if parts & 1 != 0 { vec![("user".into(), user.into())] } else { vec![] },
            from: (parts & 2 != 0).then(|| time(times.0)),
            until: (parts & 4 != 0).then(|| time(times.1)),
        };
        let matches = |event: &&Event| {
            (parts & 1 == 0 || event.0 == user)
                && (parts & 2 == 0 || event.3 >= times.0)
                && (parts & 4 == 0 || event.3 < times.1)
        };
        let question = Question { rows: Rows::Choice(choice), filter: None, limit: 0, reversed: false, slice: 0 };
        let found = table.ask(&question).expect("a question that can be answered");
        let found: BTreeSet<Vec<u8>> = found.into_iter().map(|row| row.key.0).collect();
        let writer = LayoutWriter::new(&layout, &fields(), &table.template);
        let expected: BTreeSet<Vec<u8>> =
            events.iter().filter(matches).map(|event| write(&writer, event).key.0).collect();
        // If a row has events from both sides of a cut-over, the answer has the salted key.
        let halves = |key: &Vec<u8>| found.iter().any(|other| other != key && writer.template().logical(other) == key.as_slice());
        let expected: BTreeSet<Vec<u8>> = expected.into_iter().filter(|key| !halves(key)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[derive(Clone, Debug)]
struct Question {
    rows: Rows,
    filter: Option<&'static str>,
    limit: u64,
    reversed: bool,
    slice: u64,
}

/// Keys are given as indices into the keys of the table.
#[derive(Clone, Debug)]
enum Rows {
    Keys(Vec<usize>),
    Prefix(usize, usize),
    Range(usize, usize),
    Choice(RowChoice),
}

fn question() -> impl Strategy<Value = Question> {
    let fields = (any::<bool>(), any::<bool>(), 0_u32..200).prop_map(|(user, from, at)| RowChoice::Fields {
        equals: if user { vec![("user".into(), "u1".into())] } else { vec![("kind".into(), "click".into())] },
        from: from.then(|| time(at)),
        until: None,
    });
    let rows = prop_oneof![
        Just(Rows::Choice(RowChoice::All)),
        vec(0_usize..100, 1..5).prop_map(Rows::Keys),
        (0_usize..100, 0_usize..12).prop_map(|(key, bytes)| Rows::Prefix(key, bytes)),
        (0_usize..100, 0_usize..100).prop_map(|(start, end)| Rows::Range(start, end)),
        fields.prop_map(Rows::Choice),
    ];
    let filter = select(vec![
        None,
        Some("cells_per_row_limit(1)"),
        Some(r#"value_regex(r"\C*click\C*")"#),
        Some(r#"interleave(column_qualifier_regex("user"), column_qualifier_regex("record"))"#),
    ]);
    let limit = prop_oneof![2 => Just(0), 1 => 1_u64..10];
    let slice = prop_oneof![Just(0), 1_u64..20];
    (rows, filter, limit, any::<bool>(), slice).prop_map(|(rows, filter, limit, reversed, slice)| Question {
        rows,
        filter,
        limit,
        reversed,
        slice,
    })
}

struct Table {
    engine: Engine,
    /// The template as the user wrote it.
    template: Template,
    layout: Layout,
    /// Logical keys of the table, in order.
    keys: Vec<Bytes>,
}

impl Table {
    fn new(template: &str, layout: &Layout, settings: TableSettings, events: &[Event]) -> Table {
        let (template, problems) = Template::parse(template, &fields());
        assert_eq!(problems, [], "{template:?}");
        let writer = LayoutWriter::new(layout, &fields(), &template);
        let entries: Vec<RowMutation> = events.iter().map(|event| write(&writer, event)).collect();
        let keys: BTreeSet<Vec<u8>> =
            entries.iter().map(|entry| writer.template().logical(&entry.key).to_vec()).collect();
        let families = vec![ColumnFamily::new("d")];
        let spec = TableSpec { families, initial_splits: Vec::new(), settings };
        let mut engine = Engine::new();
        assert_eq!(engine.handle(0, TableRequest::Create(spec).of("t")), Response::Done);
        let results = engine.handle(0, TableRequest::MutateRows(entries).of("t"));
        assert!(
            matches!(&results, Response::Mutated(results) if results.iter().all(Option::is_none)),
            "{results:?}"
        );
        engine.settle(0);
        Table { engine, template, layout: layout.clone(), keys: keys.into_iter().map(Bytes).collect() }
    }

    /// Plans a query, reads each part, and merges the results.
    fn ask(&mut self, question: &Question) -> Result<Vec<Row>, tabletop_model::Error> {
        let plan = self.template.plan(&self.choice(&question.rows), &self.layout)?;
        let own = question.filter.map(|filter| RowFilter::parse(filter).0.expect("a filter that reads"));
        let filter = plan.filter(own.as_ref());
        let stored = self.template.stored(&self.layout);
        let mut merge = Merge::new(&stored, plan.parts.len(), question.reversed, question.limit);
        let mut rows = Vec::new();
        for (index, part) in plan.parts.iter().enumerate() {
            let read = ReadRows {
                rows: part.clone(),
                filter: filter.clone(),
                rows_limit: question.limit,
                reversed: question.reversed,
                slice_cells_max: question.slice,
                ..ReadRows::default()
            };
            merge.push(index, read_all(&mut self.engine, 0, "t", &read)?.rows, true);
            rows.extend(merge.pull());
        }
        assert!(merge.is_complete());
        Ok(rows)
    }

    fn choice(&self, rows: &Rows) -> RowChoice {
        let key = |at: usize| self.keys[at % self.keys.len()].clone();
        match rows {
            Rows::Keys(places) => {
                RowChoice::Keys(places.iter().map(|at| key(*at)).chain([Bytes::from("none")]).collect())
            }
            Rows::Prefix(at, bytes) => {
                let key = key(*at);
                RowChoice::Prefix(key[..key.len().min(*bytes)].to_vec().into())
            }
            Rows::Range(start, end) => RowChoice::Range(RowRange::closed_open(key(*start), key(*end))),
            Rows::Choice(choice) => choice.clone(),
        }
    }
}

/// Returns rows without their salt, or the code of a refusal.
fn logical(
    rows: Result<Vec<Row>, tabletop_model::Error>,
    table: &Table,
) -> Result<Vec<Row>, tabletop_model::Code> {
    let stored = table.template.stored(&table.layout);
    let without = |mut row: Row| {
        row.key = stored.logical(&row.key).to_vec().into();
        row
    };
    rows.map(|rows| rows.into_iter().map(without).collect()).map_err(|error| error.code)
}

fn fields() -> Vec<Field> {
    let field = |name: &str, kind| Field::new(name, kind);
    vec![
        field("user", FieldKind::Text),
        field("kind", FieldKind::Text),
        field("n", FieldKind::Int),
        field("t", FieldKind::Time),
    ]
}

/// One event every twenty minutes.
fn time(at: u32) -> String {
    tabletop_keys::time::format(1_700_000_000_000_000 + i64::from(at) * 1_200_000_000)
}

fn write(writer: &LayoutWriter, event: &Event) -> RowMutation {
    let (n, t) = (event.2.to_string(), time(event.3));
    let record = Record { fields: &fields(), values: &[Some(event.0), Some(event.1), Some(&n), Some(&t)] };
    writer.write(&record, 0).expect("these events can be written")
}
