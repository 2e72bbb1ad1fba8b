//! Commands about row keys and layouts. They send no requests to tables.
//!
//! ```text
//! fields a b:int t:time …      the fields of events, text without a kind; discards events and template
//! event a=x b=7 t=2024-01-01   one more event
//! events 100 a=x{i} b={i}      a hundred more, numbered from 0
//! template TEXT                the problems of the template, and the text as it was read, if it differs
//! layout narrow|wide|row_per_entity [family=FIELD]
//! keys                         the key of each event
//! rows                         the row of each event: key and cells
//! chips                        the effect of each part on the first event
//! logical KEY · spans KEY · decode KEY
//! plan all | keys k … | prefix p | range [a,b) | fields a=x … [from=TIME] [until=TIME]
//! advise                       warnings, with their evidence
//! ```

use std::fmt::Write as _;
use std::ops::Bound;

use tabletop_advice::{Context, advise};
use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, LayoutWriter, Record, RowChoice, Template};
use tabletop_model::{Error, Mutation, Row, RowMutation};
use tabletop_texts::messages;

use super::{Output, brief, bytes, first, number, range, shown, text};

/// The fields, events, template and layout that earlier commands have set.
pub(super) struct Bench {
    fields: Vec<Field>,
    events: Vec<Vec<Option<String>>>,
    template: Template,
    layout: Layout,
}

impl Default for Bench {
    fn default() -> Self {
        let layout = Layout::new(LayoutKind::Narrow);
        Bench { fields: Vec::new(), events: Vec::new(), template: Template::parse("", &[]).0, layout }
    }
}

impl Bench {
    /// Runs a command if it is one of these.
    pub(super) fn command(&mut self, verb: &str, rest: &str) -> Option<Output> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        Some(match verb {
            "fields" => self.set_fields(&words),
            "event" => self.add_event(&words),
            "events" => self.add_events(&words),
            "template" => Ok(self.set_template(rest)),
            "layout" => self.set_layout(&words),
            "keys" => Ok(self.each(|bench, record, _| {
                let mut key = Vec::new();
                bench.template.write_key(record, &mut key).map(|()| brief(&key) + "\n")
            })),
            "rows" => {
                let writer = LayoutWriter::new(&self.layout, &self.fields, &self.template);
                Ok(self.each(|_, record, index| writer.write(record, index).map(row)))
            }
            "chips" => Ok(self.chips()),
            "logical" => bytes(rest).map(|key| brief(self.template.logical(&key)) + "\n"),
            "spans" => bytes(rest).map(|key| self.spans(&key)),
            "decode" => bytes(rest).map(|key| self.decode(&key)),
            "plan" => self.plan(&words),
            "advise" => Ok(self.advise()),
            _ => return None,
        })
    }

    fn set_fields(&mut self, words: &[&str]) -> Output {
        *self = Bench::default();
        for word in words {
            let (name, kind) = word.rsplit_once(':').unwrap_or((word, "text"));
            let kind = match kind {
                "text" => FieldKind::Text,
                "int" => FieldKind::Int,
                "float" => FieldKind::Float,
                "bool" => FieldKind::Bool,
                "time" => FieldKind::Time,
                "facets" => FieldKind::Facets,
                "json" => FieldKind::Json,
                kind => return Err(format!("there is no kind {kind}")),
            };
            self.fields.push(Field::new(text(name)?, kind));
        }
        Ok(String::new())
    }

    fn add_event(&mut self, words: &[&str]) -> Output {
        let mut values = vec![None; self.fields.len()];
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("{word} is not field=value"))?;
            let name = text(name)?;
            let field = self
                .fields
                .iter()
                .position(|field| field.name == name)
                .ok_or_else(|| format!("no field {name}"))?;
            values[field] = Some(text(value)?);
        }
        self.events.push(values);
        Ok(String::new())
    }

    fn add_events(&mut self, words: &[&str]) -> Output {
        for index in 0..number::<usize>(first(words)?)? {
            let numbered: Vec<String> =
                words[1..].iter().map(|word| word.replace("{i}", &index.to_string())).collect();
            self.add_event(&numbered.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(String::new())
    }

    fn set_template(&mut self, written: &str) -> String {
        let (template, problems) = Template::parse(written, &self.fields);
        let mut out = String::new();
        for problem in problems {
            writeln!(out, "{}..{}: {}", problem.span.start, problem.span.end, problem.message)
                .expect("a string takes all");
        }
        self.template = template;
        let understood = self.template.text();
        if understood == written {
            out
        } else {
            format!("{out}= {understood}\n").replace("= \n", "= nothing\n")
        }
    }

    fn set_layout(&mut self, words: &[&str]) -> Output {
        let kind = match first(words)? {
            "narrow" => LayoutKind::Narrow,
            "wide" => LayoutKind::Wide,
            "row_per_entity" => LayoutKind::RowPerEntity,
            kind => return Err(format!("there is no layout {kind}")),
        };
        let family_field = words.get(1).and_then(|word| word.strip_prefix("family=")).map(String::from);
        self.layout = Layout { family_field, ..Layout::new(kind) };
        Ok(String::new())
    }

    /// The results of a function for each event.
    fn each(&self, make: impl Fn(&Bench, &Record<'_>, u64) -> Result<String, Error>) -> String {
        let one = |(index, event): (usize, &Vec<Option<String>>)| {
            let values: Vec<Option<&str>> = event.iter().map(Option::as_deref).collect();
            let record = Record { fields: &self.fields, values: &values };
            make(self, &record, index as u64).unwrap_or_else(|error| describe_error(&error))
        };
        self.events.iter().enumerate().map(one).collect()
    }

    fn chips(&self) -> String {
        let values: Vec<Option<&str>> =
            self.events.first().into_iter().flatten().map(Option::as_deref).collect();
        let record = Record { fields: &self.fields, values: &values };
        let chips = self.template.chips(&self.layout, (!self.events.is_empty()).then_some(&record));
        let advice = messages().advice;
        let line = |chip: &tabletop_keys::ChipView| {
            let (start, end) = (chip.span.start as usize, chip.span.end as usize);
            let part = &self.template.text()[start..end];
            format!("{part} {} -> {} {}", chip.input, brief(&chip.output), (advice.chip)(&chip.cost))
                .trim_end()
                .to_string()
                + "\n"
        };
        chips.iter().map(line).collect()
    }

    fn advise(&self) -> String {
        let events: Vec<Vec<Option<&str>>> =
            self.events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect();
        let records = events.iter().map(|values| Record { fields: &self.fields, values });
        let warnings = advise(&self.template, &self.layout, Context::default(), records).warnings;
        let said = messages().advice;
        let line = |warning: &tabletop_advice::Warning| {
            let part = warning.part.map_or(String::new(), |part| format!(" (part {part})"));
            let (message, evidence) = ((said.warning)(&warning.cause), (said.evidence)(&warning.cause));
            format!("{:?}{part}: {message}\n  {evidence}\n", warning.kind())
        };
        if warnings.is_empty() { "nothing\n".into() } else { warnings.iter().map(line).collect() }
    }

    fn spans(&self, key: &[u8]) -> String {
        let spans = self.template.key_view(key).spans;
        let line = |span: &tabletop_keys::KeySpan| {
            format!("part {}: {}\n", span.part, brief(&key[span.start as usize..span.end as usize]))
        };
        if spans.is_empty() { "no part is certain\n".into() } else { spans.iter().map(line).collect() }
    }

    fn decode(&self, key: &[u8]) -> String {
        let values = self.template.decode(key);
        let line = |(name, value): &(String, String)| format!("{name} = {value}\n");
        if values.is_empty() { "no field is certain\n".into() } else { values.iter().map(line).collect() }
    }

    fn plan(&self, words: &[&str]) -> Output {
        let rest = words.get(1..).unwrap_or_default();
        let choice = match first(words)? {
            "all" => RowChoice::All,
            "keys" => {
                RowChoice::Keys(rest.iter().map(|key| bytes(key).map(Into::into)).collect::<Result<_, _>>()?)
            }
            "prefix" => RowChoice::Prefix(bytes(first(rest)?)?.into()),
            "range" => RowChoice::Range(range(first(rest)?)?),
            "fields" => fields_choice(rest)?,
            choice => return Err(format!("there is no choice {choice}")),
        };
        let plan = match self.template.plan(&choice, &self.layout) {
            Ok(plan) => plan,
            Err(error) => return Ok(describe_error(&error)),
        };
        let mut out = String::new();
        for part in &plan.parts {
            let keys = part.keys.iter().map(|key| brief(key));
            let ranges = part.ranges.iter().map(|range| interval(&range.start, &range.end));
            let all: Vec<String> = keys.chain(ranges).collect();
            writeln!(out, "{}", if all.is_empty() { "the whole table".into() } else { all.join(" ") })
                .expect("a string takes all");
        }
        if plan.parts.is_empty() {
            out += "no row\n";
        }
        if plan.scans_more {
            out += "scans more\n";
        }
        if let Some(filter) = plan.filter(None) {
            out += &format!("filter {}\n", filter.text());
        }
        Ok(out)
    }
}

fn fields_choice(words: &[&str]) -> Result<RowChoice, String> {
    let (mut equals, mut from, mut until) = (Vec::new(), None, None);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("{word} is not field=value"))?;
        match name {
            "from" => from = Some(text(value)?),
            "until" => until = Some(text(value)?),
            name => equals.push((text(name)?, text(value)?)),
        }
    }
    Ok(RowChoice::Fields { equals, from, until })
}

fn interval<T: AsRef<[u8]>>(start: &Bound<T>, end: &Bound<T>) -> String {
    let start = match start {
        Bound::Included(key) => format!("[{}", brief(key.as_ref())),
        Bound::Excluded(key) => format!("({}", brief(key.as_ref())),
        Bound::Unbounded => "(".into(),
    };
    let end = match end {
        Bound::Included(key) => format!("{}]", brief(key.as_ref())),
        Bound::Excluded(key) => format!("{})", brief(key.as_ref())),
        Bound::Unbounded => ")".into(),
    };
    // Keys often contain commas.
    format!("{start} .. {end}")
}

/// A row of set cells in the form of a read.
fn row(mutation: RowMutation) -> String {
    let cells = mutation.mutations.into_iter().map(|mutation| match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => {
            tabletop_model::Cell { family, qualifier, timestamp, value, label: None }
        }
        other => panic!("a layout only sets cells, not {other:?}"),
    });
    shown(&Row { key: mutation.key, cells: cells.collect() })
}

/// An error with its code in JSON form, because it does not answer a request.
fn describe_error(error: &Error) -> String {
    let code = serde_json::to_string(&error.code).expect("a code is a word");
    format!("error {}: {}\n", code.trim_matches('"'), error.message)
}
