//! Parses a template: text becomes parts, and faults become problems instead of a failure.

mod pieces;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_model::{Problem, Span, did_you_mean};

use super::cut_over::parse_cut_over;
use super::part::{Part, Transform};
use super::placeholder::Placeholder;
use crate::salt::SALT_BUCKETS_MAX;
use crate::time::TimeFormat;
use crate::zorder::{Axis, FirstBit, ZOrder, ZOutput};

use pieces::{Item, Piece, item, split, split_end};

/// The positions of a part and its pieces in the text.
#[derive(Clone, Debug)]
pub(super) struct Spans {
    /// The whole part, including its braces.
    pub part: Span,
    /// The name of the field or of the function.
    pub name: Span,
    /// The position of each transform that was parsed.
    pub transforms: Vec<Span>,
    /// Whether the function and its arguments were parsed without problems.
    pub understood: bool,
}

impl Spans {
    /// Spans of a part of which only the whole position is known.
    pub fn whole(part: Span) -> Self {
        Spans { part, name: part, transforms: Vec::new(), understood: true }
    }
}

/// The names that can follow a colon.
pub(super) const TRANSFORMS: [&str; 15] = [
    "iso",
    "date",
    "month",
    "hour",
    "seconds",
    "millis",
    "reverse_time",
    "bucket",
    "pad",
    "hash",
    "reverse",
    "reverse_domain",
    "upper",
    "lower",
    "or",
];

pub(super) fn parse(text: &str) -> (Vec<Part>, Vec<Spans>, Vec<Problem>) {
    let mut parser = Parser { text, at: 0, parts: Vec::new(), spans: Vec::new(), problems: Vec::new() };
    parser.run();
    (parser.parts, parser.spans, parser.problems)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<Part>,
    spans: Vec<Spans>,
    problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    fn run(&mut self) {
        let mut literal = String::new();
        let mut literal_start = 0;
        while let Some(c) = self.text[self.at..].chars().next() {
            let doubled = self.text[self.at + c.len_utf8()..].starts_with(c);
            match c {
                '{' | '}' if doubled => {
                    literal.push(c);
                    self.at += 2;
                }
                '{' => {
                    self.literal(&mut literal, literal_start);
                    self.braces();
                    literal_start = self.at;
                }
                '}' => {
                    self.problem(self.at, self.at + 1, "Unmatched }: write }} for the character itself.");
                    literal.push(c);
                    self.at += 1;
                }
                c => {
                    literal.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        self.literal(&mut literal, literal_start);
    }

    fn literal(&mut self, literal: &mut String, start: usize) {
        if literal.is_empty() {
            return;
        }
        let text = core::mem::take(literal);
        // Braces without a field do not create a part, so the literals around them are joined.
        if let (Some(Part::Literal(before)), Some(spans)) = (self.parts.last_mut(), self.spans.last_mut()) {
            before.push_str(&text);
            spans.part.end = self.at as u32;
            return;
        }
        self.parts.push(Part::Literal(text));
        self.spans.push(Spans::whole(Span { start: start as u32, end: self.at as u32 }));
    }

    /// Parses one part in braces, beginning with the opening brace.
    fn braces(&mut self) {
        let open = self.at;
        let start = open + 1;
        let closed = split_end(&self.text[start..], |c| c == '}');
        let end = closed.map_or(self.text.len(), |at| start + at);
        self.at = closed.map_or(end, |_| end + 1);
        if closed.is_none() {
            self.problem(open, end, "This brace is not closed: put } after the field.");
        }
        let items: Vec<Item> = split(&self.text[start..end], start, ':').into_iter().map(item).collect();
        let (head, transforms) = items.split_first().expect("a split has at least one piece");
        let span = Span { start: open as u32, end: self.at as u32 };
        let mut spans =
            Spans { part: span, name: head.name.span(), transforms: Vec::new(), understood: true };
        let problems_before = self.problems.len();
        let part = match (head.name.text, &head.args) {
            ("salt", Some(args)) => self.salt(head, args),
            ("zorder", Some(args)) => self.zorder(head, args),
            ("", None) => {
                self.problem(open, self.at, "Name a field between the braces.");
                return;
            }
            (name, Some(_)) => {
                let hint = match name {
                    _ if TRANSFORMS.contains(&name) => {
                        format!("{name} is a transform: put it after a field, {{field:{name}(…)}}.")
                    }
                    _ => format!("There is no function {name}{}", did_you_mean(name, ["salt", "zorder"])),
                };
                self.problem(open, self.at, &hint);
                let whole = transforms.first().map_or(end, |next| next.name.start - 1);
                Part::Field { name: self.text[start..whole].trim().to_owned(), transforms: Vec::new() }
            }
            (_, None) => Part::Field { name: head.name.name(), transforms: Vec::new() },
        };
        spans.understood = self.problems.len() == problems_before;
        let part = match part {
            Part::Field { name, .. } => {
                let mut understood = Vec::new();
                for item in transforms {
                    if let Some(transform) = self.transform(item) {
                        understood.push(transform);
                        spans.transforms.push(item.whole.span());
                    }
                }
                Part::Field { name, transforms: understood }
            }
            part => {
                if let Some(first) = transforms.first() {
                    let message = format!("{} cannot have transforms: remove this.", head.name.text);
                    self.problem(first.name.start - 1, end, &message);
                }
                part
            }
        };
        self.parts.push(part);
        self.spans.push(spans);
    }

    fn salt(&mut self, head: &Item, args: &[Piece]) -> Part {
        let buckets = args.first().map_or("", |first| first.text).parse().unwrap_or(0);
        if !(2..=SALT_BUCKETS_MAX).contains(&buckets) {
            let span = args.first().map_or(head.name.span(), Piece::span);
            let message = format!(
                "A salt has 2 to {SALT_BUCKETS_MAX} buckets: salt(16), or salt(16, user) over the parts of some fields."
            );
            self.problem(span.start as usize, span.end as usize, &message);
        }
        let (mut over, mut from) = (Vec::new(), None);
        for arg in args.iter().skip(1) {
            match arg.option() {
                None => over.push(arg.name()),
                Some(option) => match salt_option(option) {
                    Ok(time) => from = Some(time),
                    Err(message) => self.problem(arg.start, arg.start + arg.text.len(), &message),
                },
            }
        }
        Part::Salt { buckets: buckets.clamp(2, SALT_BUCKETS_MAX), over, from }
    }

    fn zorder(&mut self, head: &Item, args: &[Piece]) -> Part {
        let mut names = args.iter().filter(|piece| piece.option().is_none() && !piece.text.is_empty());
        let x = names.next().map(Piece::name);
        let y = names.next().map(Piece::name);
        if x.is_none() || y.is_none() {
            let span = head.name.span();
            let message = "A Z-order needs two fields, x before y: zorder(longitude, latitude).";
            self.problem(span.start as usize, span.end as usize, message);
        }
        if let Some(third) = names.next() {
            let message = "A Z-order has two fields: what follows is bits=16, first=y, as=hex, x=-180..180 or y=-90..90.";
            self.problem(third.start, third.start + third.text.len(), message);
        }
        let mut zorder = ZOrder::new(x.unwrap_or_default(), y.unwrap_or_default());
        for arg in args {
            if let Some(option) = arg.option()
                && let Err(message) = zorder_option(&mut zorder, option)
            {
                self.problem(arg.start, arg.start + arg.text.len(), &message);
            }
        }
        Part::ZOrder(zorder)
    }

    fn transform(&mut self, item: &Item) -> Option<Transform> {
        let name = item.name.text;
        let (start, end) = (item.whole.start, item.whole.start + item.whole.text.len());
        let args: Vec<&str> = item.args.iter().flatten().map(|piece| piece.text).collect();
        let format = TimeFormat::ALL.iter().find(|(each, _)| *each == name).map(|(_, format)| *format);
        let understood = match (name, args.as_slice(), format) {
            (_, [], Some(format)) => Ok(Transform::Time(format)),
            ("or", [text], _) => Placeholder::new(text)
                .map(Transform::Or)
                .ok_or("or takes 1 to 16 letters, digits, - or _: or(none)."),
            ("or", _, _) => Err("or needs the text that stands for an absent value: or(none)."),
            ("reverse", [], _) => Ok(Transform::Reverse),
            ("reverse_domain", [], _) => Ok(Transform::ReverseDomain),
            ("upper", [], _) => Ok(Transform::Upper),
            ("lower", [], _) => Ok(Transform::Lower),
            ("hash", [], _) => Ok(Transform::Hash(16)),
            ("hash", [digits], _) => {
                in_range(digits, 1, 16).map(Transform::Hash).ok_or("hash(n) takes 1 to 16 digits: hash(8).")
            }
            ("pad", [digits], _) => {
                in_range(digits, 1, 38).map(Transform::Pad).ok_or("pad(n) takes 1 to 38 digits: pad(10).")
            }
            ("pad", _, _) => Err("pad needs the number of digits: pad(10)."),
            ("bucket", [interval], _) => parse_interval(interval)
                .map(Transform::Bucket)
                .ok_or("bucket takes a span of time, a number and s, m, h or d, up to 36500d: bucket(1h)."),
            ("bucket", _, _) => Err("bucket needs a span of time: bucket(1h)."),
            ("", _, _) => Err("Name a transform after the colon, or remove the colon."),
            (name, _, _) if TRANSFORMS.contains(&name) => {
                Err("This transform does not accept these arguments.")
            }
            _ => {
                let message = format!("There is no transform {name}{}", did_you_mean(name, TRANSFORMS));
                self.problem(start, end, &message);
                return None;
            }
        };
        match understood {
            Ok(transform) => Some(transform),
            Err(message) => {
                // If nothing follows the colon, the problem is at the colon.
                self.problem(start - usize::from(start == end), end, message);
                None
            }
        }
    }

    fn problem(&mut self, start: usize, end: usize, message: &str) {
        let span = Span { start: start as u32, end: end as u32 };
        self.problems.push(Problem { span, message: message.to_string() });
    }
}

/// Parses an option of a salt: the cut-over, in milliseconds since 1970.
fn salt_option((name, value): (&str, &str)) -> Result<i64, String> {
    if name != "from" {
        return Err(format!("There is no option {name}{}", did_you_mean(name, ["from"])));
    }
    let millis = parse_cut_over(value.trim_matches('"'));
    millis.ok_or(
        "from is the time of the first salted event: from=2019-06-01 or from=2019-06-01T12:00:00Z.".into(),
    )
}

fn zorder_option(zorder: &mut ZOrder, (name, value): (&str, &str)) -> Result<(), String> {
    match name {
        "bits" => zorder.bits = in_range(value, 1, 32).ok_or("bits is 1 to 32 for each axis: bits=16.")?,
        "first" => {
            zorder.first = match value {
                "x" => FirstBit::X,
                "y" => FirstBit::Y,
                _ => return Err("first is x or y: the axis that leads each pair of bits.".into()),
            }
        }
        "as" => {
            zorder.output = match value {
                "decimal" => ZOutput::Decimal,
                "hex" => ZOutput::Hex,
                "bytes" => ZOutput::Bytes,
                _ => return Err("as is decimal, hex or bytes.".into()),
            }
        }
        "x" => set_range(&mut zorder.x, value)
            .ok_or("x is a range of numbers, the lower before the higher: x=-180..180.")?,
        "y" => set_range(&mut zorder.y, value)
            .ok_or("y is a range of numbers, the lower before the higher: y=-90..90.")?,
        _ => {
            return Err(format!(
                "There is no option {name}{}",
                did_you_mean(name, ["bits", "first", "as", "x", "y"])
            ));
        }
    }
    Ok(())
}

fn set_range(axis: &mut Axis, text: &str) -> Option<()> {
    let (min, max) = text.split_once("..")?;
    let (min, max): (f64, f64) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
    if !(min.is_finite() && max.is_finite() && (max - min).is_finite() && min < max) {
        return None;
    }
    (axis.min, axis.max) = (min, max);
    Some(())
}

fn in_range(text: &str, min: u8, max: u8) -> Option<u8> {
    text.parse().ok().filter(|number| (min..=max).contains(number))
}

fn parse_interval(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let unit: u32 = match text[digits..].trim() {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = text[..digits].parse::<u32>().ok()?.checked_mul(unit)?;
    (1..=36_500 * 86_400).contains(&seconds).then_some(seconds)
}
