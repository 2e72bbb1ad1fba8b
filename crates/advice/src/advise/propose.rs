//! Proposes designs for access patterns.
//!
//! This is the method of Chebotko, Kashlev and Lu, "A Big Data Modeling Methodology for Apache
//! Cassandra" (2015), for a store with one key: the fields that a pattern compares for equality
//! begin the key, then comes the time, which a pattern may limit to a span, then what makes keys
//! distinct. A field that more reads compare comes first, so that patterns share a beginning. A key
//! that concentrates the writes gets a salt. A pattern that the best key does not serve gets an
//! index table in one of the proposals: the method makes a table for each kind of query. What a
//! proposal really costs is measured, like that of any other design.

mod indexes;

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{
    Encoding, Field, FieldKind, Layout, LayoutKind, LayoutWriter, Newest, Part, Record, Roles, RowChoice,
    Template, edit, part_fields,
};
use tabletop_workspace::{Design, NamedQuery, Proposal, TradeOff};

use super::fixes;
use super::sample::Sample;
use super::{Context, Counted};
use crate::names;

/// The maximum number of proposals.
const PROPOSALS_MAX: usize = 3;
/// The maximum number of access patterns whose fields begin a key, those with most reads first.
const ORDERS_MAX: usize = 6;
/// The separators of fields, the first that no value contains.
const SEPARATORS: [&str; 5] = [",", "#", "|", "~", "/"];
/// The maximum number of characters of the fields in a name.
const NAME_CHARS_MAX: usize = 40;

/// How a design reads the rows of an access pattern, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Served {
    /// One row range or row key, and no other rows.
    OneRange,
    /// This many, and no other rows.
    Ranges(u32),
    /// Rows that do not match are read as well.
    ScansMore,
    /// The design does not keep what the pattern needs.
    Impossible,
}

/// A design and how it serves each pattern.
#[derive(Clone)]
struct Candidate {
    design: Design,
    salts: u32,
    served: Vec<Served>,
    /// The names of the patterns that need a reverse scan.
    backward: Vec<String>,
}

/// Proposes at most three designs for the patterns that select rows by fields, the best first, with
/// the encoding of the `existing` designs. A design that already exists is not proposed. `records`
/// are a sample of the events, evenly spread, in the order of their arrival. A design is not proposed
/// if [`Context::counts`] finds that it loses events.
pub fn propose_designs<'r>(
    fields: &[Field],
    existing: &[Design],
    context: Context<'_>,
    records: impl IntoIterator<Item = Record<'r>>,
) -> Vec<Proposal> {
    let records: Vec<Record> = records.into_iter().collect();
    let digits = |field: &Field| digits(field, context, &records);
    let by_fields: Vec<&NamedQuery> =
        context.queries.iter().filter(|named| matches!(named.query.rows, RowChoice::Fields { .. })).collect();
    let encoding = encoding_of(existing, fields);
    // Where values have no encoding, any makes the same table.
    let mut existing = existing.to_vec();
    for design in existing.iter_mut().filter(|design| !design.layout.has_encoding(fields)) {
        design.layout.encoding = encoding;
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut is_new: Vec<bool> = Vec::new();
    for order in orders(fields, &by_fields) {
        for kind in kinds(&by_fields) {
            let layout = Layout { encoding, ..Layout::new(kind) };
            let Some(template) = template_of(fields, &order, &layout, context, &records) else { continue };
            let template = answering(template, &layout, &by_fields, &digits);
            // A row per entity needs a key without the time of an event.
            if kind == LayoutKind::RowPerEntity
                && template.stored_parts(&layout).len() == template.parts().len()
            {
                continue;
            }
            let text = template.text();
            let is_known = |design: &Design| design.template == text && design.layout == layout;
            if candidates.iter().any(|candidate| is_known(&candidate.design)) {
                continue;
            }
            match (context.counts)(&template, &layout) {
                Counted::All(losses) if !losses.is_complete() => continue,
                Counted::All(_) | Counted::OfSample | Counted::NotYet => {}
            }
            is_new.push(!existing.iter().any(is_known));
            let served = by_fields.iter().map(|named| served(&template, &layout, named)).collect();
            let is_backward =
                |named: &&&NamedQuery| template.row_order(&named.query, &layout).newest == Some(Newest::Last);
            let backward = by_fields.iter().filter(is_backward).map(|named| named.name.clone()).collect();
            let design = Design::new(name(&template, kind), text, layout);
            candidates.push(Candidate { design, salts: template.salts(), served, backward });
        }
    }
    let main = choose(candidates.clone(), &by_fields).into_iter().next();
    let indexed = main.and_then(|main| indexes::with_indexes(&main, &candidates, &by_fields, &existing));
    let mut new = is_new.into_iter();
    candidates.retain(|_| new.next().unwrap_or_default());
    let alone = |candidate: Candidate| Proposal {
        trade_offs: trade_offs(&candidate, &candidate.served, &by_fields),
        design: candidate.design,
        indexes: Vec::new(),
    };
    let mut proposals: Vec<Proposal> = choose(candidates, &by_fields).into_iter().map(alone).collect();
    if let Some(indexed) = indexed {
        // The best key comes first, then the design with indexes for what that key gives up.
        proposals.insert(proposals.len().min(1), indexed);
    }
    proposals.truncate(PROPOSALS_MAX);
    proposals
}

/// The encoding that the user has chosen: that of the first design whose values have one.
fn encoding_of(existing: &[Design], fields: &[Field]) -> Encoding {
    let used = existing.iter().find(|design| design.layout.has_encoding(fields));
    used.or(existing.first()).map(|design| design.layout.encoding).unwrap_or_default()
}

/// The fields that the patterns compare for equality, as beginnings of keys: of each pattern those,
/// the most frequent first.
fn orders(fields: &[Field], patterns: &[&NamedQuery]) -> Vec<Vec<usize>> {
    let time = Roles::of(fields).time;
    let compared = |named: &NamedQuery| -> Option<Vec<usize>> {
        let RowChoice::Fields { equals, .. } = &named.query.rows else { return None };
        let index = |(name, _): &(String, String)| fields.iter().position(|field| field.name == *name);
        let mut found: Vec<usize> = equals.iter().map(index).collect::<Option<_>>()?;
        found.retain(|field| Some(*field) != time);
        found.sort_unstable();
        found.dedup();
        Some(found)
    };
    let mut known: Vec<(Vec<usize>, f64)> =
        patterns.iter().filter_map(|named| Some((compared(named)?, named.reads_per_second))).collect();
    let reads_of = |field: &usize| {
        known.iter().filter(|(fields, _)| fields.contains(field)).map(|(_, reads)| reads).sum::<f64>()
    };
    let reads: Vec<f64> = (0..fields.len()).map(|field| reads_of(&field)).collect();
    known.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for (mut order, _) in known {
        order.sort_by(|one, other| reads[*other].total_cmp(&reads[*one]));
        if !orders.contains(&order) && (!order.is_empty() || time.is_some()) {
            orders.push(order);
        }
    }
    orders.truncate(ORDERS_MAX);
    orders
}

/// The layouts to try: filters select columns of a wide row, and a row per entity holds all events
/// that share the other fields.
fn kinds(patterns: &[&NamedQuery]) -> Vec<LayoutKind> {
    let has_filter = patterns.iter().any(|named| named.query.filter.is_some());
    let first = if has_filter { LayoutKind::Wide } else { LayoutKind::Narrow };
    let second = if has_filter { LayoutKind::Narrow } else { LayoutKind::Wide };
    alloc::vec![first, second, LayoutKind::RowPerEntity]
}

/// Returns a template whose keys begin with these fields, which loses no event and spreads the writes;
/// `None` if no field or salt can do that.
fn template_of(
    fields: &[Field],
    order: &[usize],
    layout: &Layout,
    context: Context<'_>,
    records: &[Record],
) -> Option<Template> {
    let is_free = |separator: &&str| {
        !records
            .iter()
            .flat_map(|record| record.values.iter().flatten())
            .any(|value| value.contains(*separator))
    };
    let separator = SEPARATORS.into_iter().find(|separator| is_free(separator)).unwrap_or(SEPARATORS[0]);
    let time = Roles::of(fields).time;
    let mut parts: Vec<Part> = Vec::new();
    for field in order.iter().copied().chain(time) {
        if !parts.is_empty() {
            parts.push(Part::Literal(separator.into()));
        }
        parts.push(edit::part_of(&fields[field], digits(&fields[field], context, records)));
    }
    let template = Template::new(parts, fields);
    let writer = LayoutWriter::new(layout, fields, &template);
    let sample = Sample::of(&template, &writer, layout, context, records.iter().copied());
    fixes::complete(&sample)
}

/// Returns a template that has each field of a pattern that neither key nor cells keep, at its end:
/// a filter can select by it there.
fn answering(
    template: Template,
    layout: &Layout,
    patterns: &[&NamedQuery],
    digits: &dyn Fn(&Field) -> Option<u8>,
) -> Template {
    let fields = template.fields().to_vec();
    let mut answering = template;
    for named in patterns {
        let RowChoice::Fields { equals, .. } = &named.query.rows else { continue };
        for (name, _) in equals {
            let is_impossible = served(&answering, layout, named) == Served::Impossible;
            let uses = answering.parts().iter().any(|part| part_fields(part).contains(&name));
            if let Some(field) =
                fields.iter().find(|field| field.name == *name).filter(|_| is_impossible && !uses)
            {
                answering = edit::append(&answering, edit::part_of(field, digits(field)));
            }
        }
    }
    answering
}

/// Returns the digits of the longest whole number of a field.
fn digits(field: &Field, context: Context<'_>, records: &[Record]) -> Option<u8> {
    let texts = || records.iter().filter_map(|record| record.get(&field.name));
    (field.kind == FieldKind::Int)
        .then(|| (context.digits)(&field.name).or_else(|| edit::digits(texts())))
        .flatten()
}

fn served(template: &Template, layout: &Layout, named: &NamedQuery) -> Served {
    let newest = template.row_order(&named.query, layout).newest;
    match template.plan(&named.query.rows, layout) {
        Err(_) => Served::Impossible,
        Ok(plan) if plan.scans_more || newest == Some(Newest::Anywhere) => Served::ScansMore,
        Ok(plan) if plan.ranges() <= 1 => Served::OneRange,
        Ok(plan) => Served::Ranges(plan.ranges()),
    }
}

/// Chooses the design that serves most reads best, then designs that serve a pattern better than
/// those before, then other layouts.
fn choose(mut candidates: Vec<Candidate>, patterns: &[&NamedQuery]) -> Vec<Candidate> {
    let reads: Vec<f64> = patterns.iter().map(|named| named.reads_per_second).collect();
    let mut chosen: Vec<Candidate> = Vec::new();
    while chosen.len() < PROPOSALS_MAX && !candidates.is_empty() {
        let best_before = |at: usize| chosen.iter().map(|design| design.served[at]).min();
        // The reads of patterns that it serves with fewer ranges than each design before it.
        let gain = |candidate: &Candidate| -> f64 {
            let gained = |at: &usize| best_before(*at).is_none_or(|before| candidate.served[*at] < before);
            (0..reads.len()).filter(gained).map(|at| reads[at] * worth(candidate.served[at])).sum()
        };
        let gains: Vec<f64> = candidates.iter().map(gain).collect();
        // The first of equal ones: candidates are in the order of their patterns' reads.
        let best = (0..gains.len())
            .reduce(|best, at| if gains[at] > gains[best] { at } else { best })
            .expect("there is a candidate");
        if gains[best] <= 0.0 && !chosen.is_empty() {
            // None serves a pattern better: one with another layout stores the same events in other
            // rows.
            let differs = |candidate: &Candidate| {
                chosen.iter().all(|design| design.design.layout != candidate.design.layout)
                    && candidate.served.iter().zip(&chosen[0].served).all(|(one, first)| one <= first)
            };
            let Some(at) = candidates.iter().position(differs) else { break };
            chosen.push(candidates.remove(at));
            continue;
        }
        if candidates[best].served.iter().all(|served| *served == Served::Impossible) {
            break;
        }
        chosen.push(candidates.remove(best));
    }
    chosen
}

/// Returns the value of a way to read, relative to one range.
fn worth(served: Served) -> f64 {
    match served {
        Served::OneRange => 1.0,
        Served::Ranges(_) => 0.5,
        Served::ScansMore => 0.01,
        Served::Impossible => 0.0,
    }
}

/// A name of the key's fields: `By app_id, user_token`.
fn name(template: &Template, kind: LayoutKind) -> String {
    let stored = template.stored(&Layout::new(kind));
    let mut fields = String::new();
    for part in stored.parts().iter().filter(|part| edit::is_solid(part)) {
        let separator = if fields.is_empty() { "" } else { ", " };
        let next = edit::name(part);
        if !fields.is_empty()
            && fields.chars().count() + separator.len() + next.chars().count() > NAME_CHARS_MAX
        {
            break;
        }
        fields.push_str(separator);
        fields.extend(next.chars().take(NAME_CHARS_MAX));
    }
    names::design(&fields, kind)
}

/// Returns how the patterns are served.
fn trade_offs(candidate: &Candidate, served: &[Served], patterns: &[&NamedQuery]) -> Vec<TradeOff> {
    let Candidate { salts, backward, .. } = candidate;
    let names = |wanted: fn(&Served) -> bool| -> Vec<String> {
        let served = served.iter().zip(patterns).filter(|(served, _)| wanted(served));
        served.map(|(_, named)| named.name.clone()).collect()
    };
    let one = names(|served| *served == Served::OneRange);
    let several = names(|served| matches!(served, Served::Ranges(_)));
    let ranges = served.iter().filter_map(|served| match served {
        Served::Ranges(ranges) => Some(*ranges),
        _ => None,
    });
    let most = ranges.max().unwrap_or(0);
    let more = names(|served| *served == Served::ScansMore);
    let never = names(|served| *served == Served::Impossible);
    let mut trade_offs =
        alloc::vec![TradeOff::OneRange { patterns: one.len() as u32, of: patterns.len() as u32 }];
    if !several.is_empty() {
        trade_offs.push(TradeOff::Ranges { most, patterns: several });
    }
    if *salts > 1 {
        trade_offs.push(TradeOff::Salted(*salts));
    }
    if !backward.is_empty() {
        trade_offs.push(TradeOff::ReverseScan(backward.clone()));
    }
    if !more.is_empty() {
        trade_offs.push(TradeOff::ScansMore(more));
    }
    if !never.is_empty() {
        trade_offs.push(TradeOff::Impossible(never));
    }
    trade_offs
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec;

    use tabletop_keys::{FieldKind, Query};

    fn fields() -> Vec<Field> {
        let field = |name: &str, kind| Field::new(name, kind);
        vec![
            field("at", FieldKind::Time),
            field("app", FieldKind::Text),
            field("user", FieldKind::Text),
            field("kind", FieldKind::Text),
        ]
    }

    /// Events of 3 apps, 80 users and 4 kinds, one a second.
    fn events() -> Vec<[String; 4]> {
        let event = |at: u64| {
            let user = tabletop_keys::salt::hash(&at.to_le_bytes()) % 80;
            let time = (1_700_000_000 + at).to_string();
            [time, format!("app{}", user % 3), format!("u{user:02}"), format!("kind{}", at % 4)]
        };
        (0..400).map(event).collect()
    }

    fn pattern(name: &str, equals: &[(&str, &str)], from: Option<&str>) -> NamedQuery {
        let equals = equals.iter().map(|(field, value)| ((*field).into(), (*value).into())).collect();
        let rows = RowChoice::Fields { equals, from: from.map(Into::into), until: None };
        let query = Query { rows, filter: None, rows_limit: 0, reversed: false };
        NamedQuery::new(name, query)
    }

    fn proposed(patterns: &[NamedQuery], existing: &[Design]) -> Vec<Proposal> {
        let (fields, events) = (fields(), events());
        let values: Vec<Vec<Option<&str>>> =
            events.iter().map(|event| event.iter().map(|text| Some(text.as_str())).collect()).collect();
        let records = values.iter().map(|values| Record { fields: &fields, values });
        propose_designs(&fields, existing, Context { queries: patterns, ..Context::default() }, records)
    }

    fn shapes(proposals: &[Proposal]) -> Vec<(&str, LayoutKind)> {
        proposals
            .iter()
            .map(|proposal| (proposal.design.template.as_str(), proposal.design.layout.kind))
            .collect()
    }

    #[test]
    fn the_fields_that_most_patterns_compare_begin_the_key() {
        let patterns = [
            pattern("one user", &[("user", "u01")], None),
            pattern("one user since noon", &[("user", "u01")], Some("2023-11-14T22:14:00Z")),
        ];
        let proposals = proposed(&patterns, &[]);
        assert_eq!(proposals[0].design.template, "{user},{at:iso}");
        assert_eq!(proposals[0].design.name, "By user, at");
        assert_eq!(proposals[0].trade_offs, [TradeOff::OneRange { patterns: 2, of: 2 }]);
    }

    #[test]
    fn each_further_proposal_serves_what_the_first_gives_up() {
        let patterns = [
            pattern("one user", &[("user", "u01")], None),
            pattern("one kind", &[("kind", "kind1")], None),
            pattern("a kind of a user", &[("user", "u01"), ("kind", "kind1")], None),
        ];
        let proposals = proposed(&patterns, &[]);
        assert_eq!(
            shapes(&proposals),
            [
                ("{user},{kind},{at:iso}", LayoutKind::Narrow),
                ("{user},{kind},{at:iso}", LayoutKind::Narrow),
                ("{kind},{at:iso},{app},{user}", LayoutKind::RowPerEntity)
            ]
        );
        let first = &proposals[0].trade_offs;
        assert!(first.contains(&TradeOff::ScansMore(vec!["one kind".into()])), "{first:?}");
    }

    #[test]
    fn a_pattern_that_the_key_cannot_serve_gets_an_index_table() {
        let patterns = [
            pattern("one user", &[("user", "u01")], None),
            pattern("one kind", &[("kind", "kind1")], None),
            pattern("one app", &[("app", "app1")], None),
            pattern("a kind of a user", &[("user", "u01"), ("kind", "kind1")], None),
        ];
        let proposals = proposed(&patterns, &[]);
        let indexed = &proposals[1];
        assert_eq!(indexed.design.template, proposals[0].design.template);
        let tables: Vec<(&str, &[String])> = indexed
            .indexes
            .iter()
            .map(|index| (index.design.template.as_str(), &index.patterns[..]))
            .collect();
        assert_eq!(
            tables,
            [
                ("{salt(8)}-{kind},{at:iso}", &["one kind".to_string()][..]),
                ("{salt(8)}-{app},{at:iso}", &["one app".to_string()][..])
            ]
        );
        assert!(
            indexed.indexes.iter().all(|index| index.design.index_of.as_ref() == Some(&indexed.design.name))
        );
        let table = indexed.indexes[0].design.name.clone();
        let reads = TradeOff::ReadsIndex { table, patterns: vec!["one kind".into()] };
        for trade_off in [reads, TradeOff::WritesTables(3)] {
            assert!(indexed.trade_offs.contains(&trade_off), "{trade_off:?}: {:?}", indexed.trade_offs);
        }
        let scans = |trade_off: &TradeOff| matches!(trade_off, TradeOff::ScansMore(_));
        assert!(!indexed.trade_offs.iter().any(scans), "{:?}", indexed.trade_offs);
        // With these tables in the workspace, they are not proposed again; a design without them is
        // no reason not to.
        let mut existing = alloc::vec![indexed.design.clone()];
        assert!(proposed(&patterns, &existing).iter().any(|proposal| !proposal.indexes.is_empty()));
        existing.extend(indexed.indexes.iter().map(|index| index.design.clone()));
        assert!(proposed(&patterns, &existing).iter().all(|proposal| proposal.indexes.is_empty()));
        // A key that serves all needs none.
        assert!(proposed(&patterns[..1], &[]).iter().all(|proposal| proposal.indexes.is_empty()));
    }

    #[test]
    fn a_key_that_begins_with_the_time_gets_a_salt() {
        let proposals = proposed(&[pattern("since noon", &[], Some("2023-11-14T22:14:00Z"))], &[]);
        let first = &proposals[0];
        assert!(first.design.template.starts_with("{salt(8)}-{at:iso}"), "{}", first.design.template);
        assert!(first.trade_offs.contains(&TradeOff::Salted(8)), "{:?}", first.trade_offs);
    }

    #[test]
    fn a_proposal_has_the_encoding_of_the_designs() {
        let patterns =
            [pattern("one user", &[("user", "u01")], None), pattern("one kind", &[("kind", "kind1")], None)];
        let design = |kind| {
            let layout = Layout { encoding: Encoding::MessagePack, ..Layout::new(kind) };
            Design::new("Design 1", "{at:iso}", layout)
        };
        for existing in [[design(LayoutKind::Narrow)], [design(LayoutKind::Wide)]] {
            let proposals = proposed(&patterns, &existing);
            let tables = |proposal: &Proposal| {
                let indexes = proposal.indexes.iter().map(|index| index.design.layout.encoding);
                core::iter::once(proposal.design.layout.encoding).chain(indexes).collect::<Vec<_>>()
            };
            assert!(!proposals.is_empty());
            assert!(
                proposals.iter().flat_map(tables).all(|encoding| encoding == Encoding::MessagePack),
                "{proposals:?}"
            );
        }
    }

    #[test]
    fn what_exists_is_not_proposed_in_an_encoding_that_its_values_do_not_have() {
        let patterns = [pattern("one user", &[("user", "u01")], None)];
        let first = Design::new(
            "Design 1",
            "{at:iso}",
            Layout { encoding: Encoding::Protobuf, ..Layout::new(LayoutKind::Narrow) },
        );
        let wide = Design::new("Design 2", "{user},{at:iso}", Layout::new(LayoutKind::Wide));
        let keys = |existing: &[Design]| -> Vec<(String, LayoutKind)> {
            let proposals = proposed(&patterns, existing);
            proposals
                .iter()
                .map(|proposal| (proposal.design.template.clone(), proposal.design.layout.kind))
                .collect()
        };
        let wide_key = (wide.template.clone(), LayoutKind::Wide);
        assert!(keys(core::slice::from_ref(&first)).contains(&wide_key));
        assert!(!keys(&[first, wide]).contains(&wide_key));
    }

    #[test]
    fn what_exists_is_not_proposed_and_and_without_patterns_by_fields_nothing_is() {
        let patterns = [pattern("one user", &[("user", "u01")], None)];
        let first = proposed(&patterns, &[]).swap_remove(0).design;
        assert!(
            proposed(&patterns, core::slice::from_ref(&first)).iter().all(|proposal| proposal
                .design
                .template
                != first.template
                || proposal.design.layout != first.layout)
        );
        let mut whole = pattern("all", &[], None);
        whole.query.rows = RowChoice::All;
        assert_eq!(proposed(&[whole], &[]), []);
        assert_eq!(proposed(&[pattern("unknown", &[("absent", "x")], None)], &[]), []);
    }
}
