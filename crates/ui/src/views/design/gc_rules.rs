//! The GC rules of the design's families: a field for each, in cbt's notation, and its meaning in
//! words.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tabletop_model::{Aggregate, GcRule};
use tabletop_shell::{gc_policy, gc_policy_text};
use tabletop_texts::{Locale, locale, messages};
use tabletop_workspace::Design;
use yew::{Callback, Component, Context, Html, Properties, html};

use super::gc_count::gc_count;
use crate::kit::{ButtonKind, Icon, Label, TypedText, icon, push, select};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};

/// The name of the unfolding part.
pub const GC_RULES: &str = "gc";
/// Rules that the fields suggest.
const SUGGESTED: [&str; 5] =
    ["never", "maxversions=1", "maxversions=3", "maxage=1h", "maxage=7d or maxversions=10"];
/// Id of the list of suggested rules.
const LIST: &str = "gc-suggestions";
/// The maximum number of families with a field: a design can have one for each value of a field.
const FAMILIES_MAX: usize = 50;

/// Draws the rules.
pub fn gc_rules(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.gc;
    let families = rules_of(state.design(), &state.view.families);
    let more = families.len().saturating_sub(FAMILIES_MAX);
    let used: Rc<[String]> = state.view.families.iter().cloned().collect();
    let is_listed = used.len() <= FAMILIES_MAX;
    let (design, tables) = (state.design, state.families());
    let line = |(at, FamilyField { family, rule, is_used }): (usize, &FamilyField)| {
        let on_rule = actions.edit.reform({
            let family = family.clone();
            move |rule| Edit::GcRule(vec![family.clone()], rule)
        });
        let is_alike = families.iter().all(|other| !other.is_used || other.rule == *rule);
        let for_all = actions.edit.reform({
            let (used, rule) = (used.clone(), rule.clone());
            move |()| Edit::GcRule(used.to_vec(), rule.clone())
        });
        // The shell can set another rule, until the table is rebuilt.
        let in_table = tables.iter().find(|other| other.name == *family && other.gc_rule != *rule);
        html! {
            <li key={format!("{design} {family}")} class="gc-rule">
                <RuleField {at} family={family.clone()} rule={rule.clone()} {on_rule} />
                { kind(family, state, actions) }
                if !is_used {
                    <p class="soft small">{says.unused}</p>
                } else if let Some(other) = in_table {
                    <p class="soft small">{(says.in_table)(&gc_policy_text(&other.gc_rule).unwrap_or_default())}</p>
                } else if is_listed && !is_alike && *rule != GcRule::KeepAll {
                    { push(says.use_for_all, None, ButtonKind::Quiet, for_all) }
                }
            </li>
        }
    };
    html! {
        <>
            <p class="soft small">{says.about}</p>
            if families.is_empty() { <p class="soft small">{says.no_families}</p> }
            <ul class="gc-rules" aria-label={says.title}>{ for families.iter().take(FAMILIES_MAX).enumerate().map(line) }</ul>
            if more > 0 { <p class="soft small">{(says.more)(more as u64)}</p> }
            { gc_count(state, actions) }
            <datalist id={LIST}>{ for SUGGESTED.iter().map(|rule| html! { <option value={*rule} /> }) }</datalist>
        </>
    }
}

/// What a family can hold.
const KINDS: [Option<Aggregate>; 5] =
    [None, Some(Aggregate::Sum), Some(Aggregate::Min), Some(Aggregate::Max), Some(Aggregate::DistinctCount)];

/// Draws the choice of what the cells of a family hold: a family that aggregates adds up what
/// events write into one cell.
fn kind(family: &str, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.gc;
    let texts = KINDS.map(says.kind);
    let taken = KINDS.iter().position(|kind| *kind == state.design().aggregate(family));
    let name = family.to_owned();
    let on_kind = actions.edit.reform(move |at: usize| Edit::Aggregate(name.clone(), KINDS[at]));
    select(Label::Hidden(&(says.kind_of)(family)), &texts, taken, on_kind)
}

/// A family with its rule.
#[derive(Debug, PartialEq)]
struct FamilyField {
    family: String,
    rule: GcRule,
    /// Whether the table has the family.
    is_used: bool,
}

/// Returns the families of the table, then those that only have a rule.
fn rules_of(design: &Design, families: &[String]) -> Vec<FamilyField> {
    let rules: HashMap<&str, &GcRule> =
        design.families.iter().map(|rule| (&*rule.family, &rule.gc_rule)).collect();
    let used: HashSet<&str> = families.iter().map(String::as_str).collect();
    let field = |family: &str, is_used| FamilyField {
        family: family.into(),
        rule: rules.get(family).map_or(GcRule::KeepAll, |rule| (*rule).clone()),
        is_used,
    };
    let of_table = families.iter().map(|family| field(family, true));
    let unused = design
        .families
        .iter()
        .filter(|rule| !used.contains(&*rule.family))
        .map(|rule| field(&rule.family, false));
    of_table.chain(unused).collect()
}

/// Properties of [`RuleField`].
#[derive(Properties, PartialEq)]
struct RuleFieldProps {
    /// The index in the list: names of families may have characters that an id must not have.
    at: usize,
    family: String,
    rule: GcRule,
    on_rule: Callback<GcRule>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// A field for a rule. A text that is not a rule stays, with its problem, and changes nothing.
struct RuleField {
    /// A text that was refused, and the reason.
    wrong: Option<(String, String)>,
}

impl Component for RuleField {
    type Message = String;
    type Properties = RuleFieldProps;

    fn create(_: &Context<Self>) -> Self {
        RuleField { wrong: None }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &RuleFieldProps) -> bool {
        let new = ctx.props();
        if new.rule != old.rule {
            self.wrong = None;
        }
        new != old
    }

    fn update(&mut self, ctx: &Context<Self>, typed: String) -> bool {
        self.wrong = match read(&typed) {
            Ok(rule) => {
                ctx.props().on_rule.emit(rule);
                None
            }
            Err(why) => Some((typed, why)),
        };
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let RuleFieldProps { at, family, rule, .. } = ctx.props();
        let says = &messages().design.gc;
        let text = match &self.wrong {
            Some((typed, _)) => typed.clone(),
            None => gc_policy_text(rule).unwrap_or_default(),
        };
        let note = format!("gc-note-{at}");
        let on_text = ctx.link().callback(|text: String| text);
        html! {
            <>
                <label class="field">
                    <span class="field-label mono" title={family.clone()} aria-hidden="true">{family.clone()}</span>
                    <TypedText {text} list={LIST} label={(says.rule_of)(family)} described_by={note.clone()}
                        invalid={self.wrong.is_some()} {on_text} />
                </label>
                if let Some((_, why)) = &self.wrong {
                    <p id={note} class="problem small" role="alert">{icon(Icon::Error)}<span>{(says.problem)(why)}</span></p>
                } else {
                    <p id={note} class="soft small">{in_words(rule)}</p>
                }
            </>
        }
    }
}

/// Parses a rule as the user writes it: an empty text means that all cells are kept.
fn read(typed: &str) -> Result<GcRule, String> {
    if typed.trim().is_empty() {
        return Ok(GcRule::KeepAll);
    }
    let rule = gc_policy(typed).map_err(|problem| problem.message)?;
    rule.validate().map_err(|error| error.message)?;
    Ok(rule)
}

/// Returns a sentence on what a rule collects.
fn in_words(rule: &GcRule) -> String {
    let says = &messages().design.gc;
    match rule {
        GcRule::KeepAll => says.keeps_all.into(),
        rule => (says.collects)(&condition(rule, false)),
    }
}

fn condition(rule: &GcRule, nested: bool) -> String {
    let says = &messages().design.gc;
    let (rules, joint) = match rule {
        GcRule::KeepAll => return String::new(),
        GcRule::MaxVersions(count) => return (says.versions)(*count),
        GcRule::MaxAge { .. } => {
            let text = gc_policy_text(rule).unwrap_or_default();
            return (says.age)(text.trim_start_matches("maxage="));
        }
        GcRule::Union(rules) => (rules, says.or),
        GcRule::Intersection(rules) => (rules, says.and),
    };
    let all: Vec<String> = rules.iter().map(|rule| condition(rule, true)).collect();
    if nested { ["(", &all.join(joint), ")"].concat() } else { all.join(joint) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_rules_are_rules() {
        for text in SUGGESTED {
            let rule = read(text).expect("it is suggested");
            assert_eq!(gc_policy_text(&rule).as_deref(), Some(text));
        }
        assert_eq!(read("  "), Ok(GcRule::KeepAll));
    }

    #[test]
    fn a_rule_has_a_meaning_in_words() {
        let words = |text: &str| in_words(&read(text).expect("a rule"));
        assert_eq!(words("never"), "Keeps all cells.");
        assert_eq!(
            words("maxversions=1"),
            "Collects cells that are older than the newest version of their column."
        );
        assert_eq!(
            words("maxage=30d or (maxage=3d and maxversions=100)"),
            "Collects cells that are older than 30d or (older than 3d and older than the newest 100 versions of their column)."
        );
    }

    #[test]
    fn families_without_events_come_last() {
        let mut design = tabletop_workspace::Workspace::default().designs.swap_remove(0);
        design.set_gc_rule("b", GcRule::MaxVersions(1));
        design.set_gc_rule("gone", GcRule::MaxVersions(2));
        let field = |family: &str, rule, is_used| FamilyField { family: family.into(), rule, is_used };
        let expected = [
            field("a", GcRule::KeepAll, true),
            field("b", GcRule::MaxVersions(1), true),
            field("gone", GcRule::MaxVersions(2), false),
        ];
        assert_eq!(rules_of(&design, &["a".into(), "b".into()]), expected);
    }

    #[test]
    fn an_invalid_rule_has_a_reason() {
        assert!(read("maxversions=0").expect_err("one version stays").contains("keep at least 1"));
        assert!(read("maxage=7").expect_err("no unit").contains("ms, s, m, h or d"));
    }
}
