//! Resolves type names to types. A name is looked up in the message of its field, then in the
//! messages and packages around it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span, did_you_mean};

use super::declare::{Declared, Field, Message, TypeName};
use super::{PROBLEMS_MAX, within};
use crate::{EnumId, EnumType, FieldType, MessageId, MessageType, Types, ValueType};

/// The scalar types for which a mistyped name gets a suggestion.
const SCALARS: [&str; 7] = ["string", "bytes", "bool", "double", "float", "int32", "int64"];

/// Returns the types of the declarations, with the problems of their names and numbers. The first
/// `own` messages are the well-known ones.
pub fn resolve(declared: &Declared<'_>, own: usize) -> (Types, Vec<Problem>) {
    let mut problems = Vec::new();
    let messages = declared.messages.iter().enumerate();
    let messages = messages
        .map(|(at, message)| (message.name.as_str(), message.span, ValueType::Message(MessageId(at as u32))));
    let enums = declared.enums.iter().enumerate();
    let enums = enums.map(|(at, of)| (of.name.as_str(), of.span, ValueType::Enum(EnumId(at as u32))));
    let mut names: BTreeMap<&str, ValueType> = BTreeMap::new();
    for (name, span, value) in messages.chain(enums) {
        if names.contains_key(name) {
            problems.push(Problem {
                span,
                message: format!("{name} is declared twice: the first declaration is used."),
            });
        } else {
            names.insert(name, value);
        }
    }
    let mut unknown = Vec::new();
    let messages: Vec<MessageType> = declared
        .messages
        .iter()
        .map(|message| message_type(message, &names, &mut unknown, &mut problems))
        .collect();
    let mut by_name: Vec<MessageId> = (0..messages.len()).map(|at| MessageId(at as u32)).collect();
    by_name.sort_by(|one, other| messages[one.0 as usize].name.cmp(&messages[other.0 as usize].name));
    // A suggestion compares a name with all others, so only the reported names get one.
    unknown.sort_by_key(|(span, _): &(Span, &str)| span.start);
    unknown.truncate(PROBLEMS_MAX);
    problems.extend(unknown.into_iter().map(|(span, name)| {
        let message = format!("{name} is not declared here{}", advice(name, &names));
        Problem { span, message }
    }));
    let enums = declared.enums.iter().map(|of| {
        let mut values = of.values.clone();
        values.sort_by_key(|value| value.1);
        EnumType { name: of.name.clone(), values }
    });
    let enums = enums.collect();
    (Types { messages, enums, by_name, own }, problems)
}

fn message_type<'d>(
    message: &'d Message<'_>,
    names: &BTreeMap<&str, ValueType>,
    unknown: &mut Vec<(Span, &'d str)>,
    problems: &mut Vec<Problem>,
) -> MessageType {
    let (mut numbers, mut field_names) = (BTreeSet::new(), BTreeSet::new());
    let mut fields = Vec::with_capacity(message.fields.len());
    for field in &message.fields {
        let is_first = numbers.insert(field.number);
        if !(is_first & field_names.insert(field.name)) {
            let twice = if is_first {
                format!("The name {}", field.name)
            } else {
                format!("The number {}", field.number)
            };
            let message =
                format!("{twice} is used by an earlier field of {}, which takes precedence.", message.name);
            problems.push(Problem { span: field.span, message });
        } else if let Some(value) = value_type(&message.name, field, names, unknown) {
            let &Field { name, number, repeats, oneof, .. } = field;
            fields.push(FieldType { name: name.into(), number, value, repeats, oneof });
        }
    }
    fields.sort_by_key(|field| field.number);
    MessageType { name: message.name.clone(), fields, is_map_entry: message.is_map_entry }
}

/// Returns the type of a field. If its name is unknown, adds it to `unknown`; values of such a
/// field become unknown fields.
fn value_type<'d>(
    scope: &str,
    field: &'d Field<'_>,
    names: &BTreeMap<&str, ValueType>,
    unknown: &mut Vec<(Span, &'d str)>,
) -> Option<ValueType> {
    match &field.of {
        TypeName::Scalar(scalar) => Some(ValueType::Scalar(*scalar)),
        TypeName::Message(at) => Some(ValueType::Message(MessageId(*at as u32))),
        TypeName::Named(name, span) => {
            let found = find(scope, name, names);
            if found.is_none() {
                unknown.push((*span, name.as_str()));
            }
            found
        }
    }
}

/// Returns the end of a sentence about an unknown name.
fn advice(name: &str, names: &BTreeMap<&str, ValueType>) -> String {
    fn last(name: &str) -> &str {
        name.rsplit_once('.').map_or(name, |(_, last)| last)
    }
    let near = did_you_mean(last(name), names.keys().map(|name| last(name)).chain(SCALARS));
    if near.ends_with('?') { near } else { ": paste the text of its file below this one.".into() }
}

fn find(scope: &str, name: &str, names: &BTreeMap<&str, ValueType>) -> Option<ValueType> {
    if let Some(absolute) = name.strip_prefix('.') {
        return names.get(absolute).copied();
    }
    let mut scope = scope;
    loop {
        if let Some(found) = names.get(within(scope, name).as_str()) {
            return Some(*found);
        }
        if scope.is_empty() {
            return None;
        }
        scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
    }
}
