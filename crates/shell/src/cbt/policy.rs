//! Garbage-collection policies: `maxage=10d or (maxversions=2 and maxage=1h)`, `never`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tabletop_model::{GcRule, Problem, Span, did_you_mean};

use crate::place::{WRITTEN, problem, span};

/// Units of `maxage`, with their microseconds.
const UNITS: [(&str, i64); 5] =
    [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000)];

/// The deepest nesting of parentheses: more than any policy needs, and small enough for the stack.
const DEPTH_MAX: usize = 50;

/// Parses a GC rule in the notation of cbt: `maxage=7d or maxversions=2`, `never`.
///
/// # Errors
/// What is wrong, and where.
pub fn gc_policy(text: &str) -> Result<GcRule, Problem> {
    parse(text, &span).map_err(|problem| *problem)
}

/// Returns the text that [`gc_policy`] reads, or `None` if there is none: a rule within another
/// rule that keeps all cells.
pub fn gc_policy_text(rule: &GcRule) -> Option<String> {
    text(rule, " and ", " or ")
}

/// Parses a policy from left to right; `and` and `or` have the same precedence. `place` maps a part
/// of the text to the line.
pub(super) fn parse(text: &str, place: &dyn Fn(usize, usize) -> Span) -> Result<GcRule, Box<Problem>> {
    if text.trim() == "never" {
        return Ok(GcRule::KeepAll);
    }
    let mut parser = Parser { text, at: 0, place };
    let rule = parser.expression(0)?;
    let (token, start) = parser.token();
    match token {
        "" => Ok(rule),
        _ => Err(parser.wrong(
            start,
            format!("\"{token}\" follows the end of the policy: join terms with `and` or `or`"),
        )),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    place: &'a dyn Fn(usize, usize) -> Span,
}

impl<'a> Parser<'a> {
    fn expression(&mut self, depth: usize) -> Result<GcRule, Box<Problem>> {
        let mut rule = self.term(depth)?;
        loop {
            let before = self.at;
            let join = match self.token().0 {
                "and" | "&&" => GcRule::Intersection,
                "or" | "||" => GcRule::Union,
                _ => {
                    self.at = before;
                    return Ok(rule);
                }
            };
            rule = join(vec![rule, self.term(depth)?]);
        }
    }

    fn term(&mut self, depth: usize) -> Result<GcRule, Box<Problem>> {
        let (token, start) = self.token();
        match token {
            "maxage" | "maxversions" => {
                let (equals, at) = self.token();
                if equals != "=" {
                    return Err(self.wrong(at, format!("`=` is expected after {token}")));
                }
                let (value, at) = self.token();
                if token == "maxage" {
                    return age(value)
                        .map(|micros| GcRule::MaxAge { micros })
                        .map_err(|message| self.wrong(at, message));
                }
                let count = value.parse().map(GcRule::MaxVersions);
                count.map_err(|_| {
                    self.wrong(at, format!("\"{value}\" is not a number of versions: write maxversions=1"))
                })
            }
            "(" if depth < DEPTH_MAX => {
                let rule = self.expression(depth + 1)?;
                match self.token() {
                    (")", _) => Ok(rule),
                    (_, at) => Err(self.wrong(at, "`)` is expected here".into())),
                }
            }
            "" => {
                Err(self
                    .wrong(start, "a policy is expected here: maxage=<d>, maxversions=<n> or never".into()))
            }
            _ => {
                let hint = did_you_mean(token, ["maxage", "maxversions", "never"]);
                Err(self.wrong(start, format!("\"{token}\" is not a policy{hint}")))
            }
        }
    }

    /// Returns the next token, which is empty at the end, and its offset.
    fn token(&mut self) -> (&'a str, usize) {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let length = match word {
            0 if rest.starts_with("&&") || rest.starts_with("||") => 2,
            0 => rest.chars().next().map_or(0, char::len_utf8),
            word => word,
        };
        self.at = start + length;
        (&rest[..length], start)
    }

    fn wrong(&self, start: usize, message: String) -> Box<Problem> {
        Box::new(problem((self.place)(start, self.at.max(start)), message))
    }
}

/// Parses `10d` into microseconds.
fn age(text: &str) -> Result<i64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (count, unit) = text.split_at(digits);
    let count: u32 = count
        .parse()
        .map_err(|_| format!("\"{text}\" is not an age: write a number and ms, s, m, h or d"))?;
    let Some((_, micros)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(format!("\"{unit}\" is not a unit of an age: use ms, s, m, h or d"));
    };
    // As nanoseconds it must fit in 64 bits, as in Go.
    let fits = i64::from(count).checked_mul(*micros).filter(|micros| micros.checked_mul(1_000).is_some());
    fits.ok_or_else(|| format!("an age of {text} is too long: the longest is 106751d"))
}

/// Formats a rule as `ls` does.
pub(super) fn shown(rule: &GcRule) -> String {
    match rule {
        GcRule::KeepAll => "<never>".into(),
        GcRule::MaxVersions(count) => format!("versions() > {count}"),
        // Days, hours, minutes; microseconds if none of them divides it.
        GcRule::MaxAge { micros } => match UNITS[..3].iter().find(|(_, unit)| micros % unit == 0) {
            Some((name, unit)) => format!("age() > {}{name}", micros / unit),
            None => format!("age() > {micros}"),
        },
        GcRule::Union(rules) => joined(rules, " || "),
        GcRule::Intersection(rules) => joined(rules, " && "),
    }
}

fn joined(rules: &[GcRule], join: &str) -> String {
    let rules: Vec<String> = rules.iter().map(shown).collect();
    format!("({})", rules.join(join))
}

/// Returns the text of a rule. [`parse`] reads the same rule from it, except that it joins two at a
/// time. Returns `None` if there is no text for the rule.
pub(crate) fn text(rule: &GcRule, and: &str, or: &str) -> Option<String> {
    match rule {
        GcRule::KeepAll => Some("never".into()),
        _ => term(rule, and, or, false),
    }
}

fn term(rule: &GcRule, and: &str, or: &str, nested: bool) -> Option<String> {
    let (rules, join) = match rule {
        GcRule::KeepAll => return None,
        GcRule::MaxVersions(count) => return (*count >= 0).then(|| format!("maxversions={count}")),
        GcRule::MaxAge { micros } => {
            let (name, unit) = UNITS.iter().find(|(_, unit)| micros % unit == 0)?;
            let count = u32::try_from(micros / unit).ok()?;
            return Some(format!("maxage={count}{name}"));
        }
        GcRule::Union(rules) => (rules, or),
        GcRule::Intersection(rules) => (rules, and),
    };
    let (first, rest) = rules.split_first()?;
    if rest.is_empty() {
        return term(first, and, or, nested);
    }
    let mut out = term(first, and, or, true)?;
    for rule in rest {
        write!(out, "{join}{}", term(rule, and, or, true)?).expect(WRITTEN);
    }
    Some(if nested { format!("({out})") } else { out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn read(text: &str) -> Result<GcRule, String> {
        parse(text, &span).map_err(|problem| alloc::format!("{}: {}", problem.span.start, problem.message))
    }

    #[test]
    fn policies_are_read_from_left_to_right() {
        let versions = GcRule::MaxVersions;
        let days = |count: i64| GcRule::MaxAge { micros: count * 86_400_000_000 };
        assert_eq!(read("never"), Ok(GcRule::KeepAll));
        assert_eq!(read("maxversions = 3"), Ok(versions(3)));
        let left = GcRule::Intersection(vec![GcRule::Union(vec![days(1), versions(2)]), versions(3)]);
        assert_eq!(read("maxage=1d or maxversions=2 and maxversions=3"), Ok(left));
        let right = GcRule::Union(vec![days(30), GcRule::Intersection(vec![days(3), versions(100)])]);
        assert_eq!(read("maxage=30d||(maxage=3d&&maxversions=100)"), Ok(right.clone()));
        assert_eq!(
            text(&right, " and ", " or ").as_deref(),
            Some("maxage=30d or (maxage=3d and maxversions=100)")
        );
        assert_eq!(shown(&right), "(age() > 30d || (age() > 3d && versions() > 100))");
        assert_eq!(shown(&GcRule::MaxAge { micros: 5_000_000 }), "age() > 5000000");
    }

    #[test]
    fn mistakes_have_a_position() {
        let wrong = |text: &str, message: &str| assert_eq!(read(text), Err(message.to_string()), "{text}");
        wrong("", "0: a policy is expected here: maxage=<d>, maxversions=<n> or never");
        wrong("maxage=7ns", "7: \"ns\" is not a unit of an age: use ms, s, m, h or d");
        wrong("maxage=106752d", "7: an age of 106752d is too long: the longest is 106751d");
        wrong("maxage=3.5h", "7: \"\" is not a unit of an age: use ms, s, m, h or d");
        wrong("maxversion=1", "0: \"maxversion\" is not a policy. Did you mean maxversions?");
        wrong("(maxage=1d", "10: `)` is expected here");
        wrong(
            "maxage=1d maxversions=1",
            "10: \"maxversions\" follows the end of the policy: join terms with `and` or `or`",
        );
        assert!(read(&"(".repeat(10_000)).is_err());
    }
}
