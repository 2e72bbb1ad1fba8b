//! The GC rules of the design's families: a field for each, in the notation of cbt, and what it means in words.

use tabletop_model::GcRule;
use tabletop_shell::{gc_policy, gc_policy_text};
use web_sys::HtmlInputElement;
use yew::{Callback, Component, Context, Event, Html, Properties, TargetCast, html};

use crate::actions::Actions;
use crate::messages::messages;
use crate::shell::foldable;
use crate::state::{Edit, PageState};
use crate::widgets::{ButtonKind, Icon, icon, push};

/// The name of the part that is unfolded.
pub const GC_RULES: &str = "gc";
/// Rules that the fields suggest.
const SUGGESTED: [&str; 5] = ["never", "maxversions=1", "maxversions=3", "maxage=1h", "maxage=7d or maxversions=10"];
/// Id of the list of them.
const LIST: &str = "gc-suggestions";
/// Families with a field: a design can have one for each value of a field.
const FAMILIES_MAX: usize = 50;

/// Draws the rules, folded at first.
pub fn gc_rules(state: &PageState, actions: &Actions) -> Html {
    foldable(GC_RULES, messages().design.gc.title.into(), state, actions, &|| rules(state, actions))
}

/// Draws the unfolded rules. Its code is fetched later, because a first visit has none.
#[inline(never)]
fn rules(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.gc;
    let design = state.design();
    let mut families: Vec<(String, bool)> = state.view.families.iter().map(|family| (family.clone(), true)).collect();
    let unused = design.families.iter().filter(|rule| !state.view.families.contains(&rule.family));
    families.extend(unused.map(|rule| (rule.family.clone(), false)));
    let all: Vec<String> = state.view.families.clone();
    let more = families.len().saturating_sub(FAMILIES_MAX);
    let line = |(family, is_used): &(String, bool)| {
        let rule = design.gc_rule(family);
        let on_rule = actions.edit.reform({
            let family = family.clone();
            move |rule| Edit::GcRule(vec![family.clone()], rule)
        });
        let is_alike = all.iter().all(|other| design.gc_rule(other) == rule);
        let for_all = actions.edit.reform({
            let (all, rule) = (all.clone(), rule.clone());
            move |()| Edit::GcRule(all.clone(), rule.clone())
        });
        html! {
            <li key={family.clone()} class="gc-rule">
                <RuleField family={family.clone()} rule={rule.clone()} {on_rule} />
                if !is_used {
                    <p class="soft small">{says.unused}</p>
                } else if !is_alike && rule != GcRule::KeepAll {
                    { push(says.use_for_all, None, ButtonKind::Quiet, for_all) }
                }
            </li>
        }
    };
    html! {
        <>
            <p class="soft small">{says.about}</p>
            if families.is_empty() { <p class="soft small">{says.no_families}</p> }
            <ul class="gc-rules" aria-label={says.title}>{ for families.iter().take(FAMILIES_MAX).map(line) }</ul>
            if more > 0 { <p class="soft small">{(says.more)(more as u64)}</p> }
            <datalist id={LIST}>{ for SUGGESTED.iter().map(|rule| html! { <option value={*rule} /> }) }</datalist>
        </>
    }
}

/// Properties of [`RuleField`].
#[derive(Properties, PartialEq)]
struct RuleFieldProps {
    family: String,
    rule: GcRule,
    on_rule: Callback<GcRule>,
}

/// A field for a rule. A text that is no rule stays, with its problem, and changes nothing.
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
        if ctx.props().rule != old.rule {
            self.wrong = None;
        }
        true
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
        let RuleFieldProps { family, rule, .. } = ctx.props();
        let says = &messages().design.gc;
        let text = match &self.wrong {
            Some((typed, _)) => typed.clone(),
            None => gc_policy_text(rule).unwrap_or_default(),
        };
        let note = format!("gc-note-{family}");
        let onchange = ctx.link().callback(|event: Event| event.target_unchecked_into::<HtmlInputElement>().value());
        html! {
            <>
                <label class="field">
                    <span class="field-label mono" title={family.clone()} aria-hidden="true">{family.clone()}</span>
                    <input class="input mono" value={text} list={LIST} spellcheck="false" autocomplete="off"
                        aria-label={(says.rule_of)(family)} aria-describedby={note.clone()}
                        aria-invalid={self.wrong.as_ref().map(|_| "true")} {onchange} />
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

/// Reads a rule as a person writes it: nothing means that all cells are kept.
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
        assert_eq!(words("maxversions=1"), "Collects cells that are older than the newest version of their column.");
        assert_eq!(
            words("maxage=30d or (maxage=3d and maxversions=100)"),
            "Collects cells that are older than 30d or (older than 3d and older than the newest 100 versions of their column)."
        );
    }

    #[test]
    fn what_is_no_rule_has_a_reason() {
        assert!(read("maxversions=0").expect_err("one version stays").contains("keep at least 1"));
        assert!(read("maxage=7").expect_err("no unit").contains("ms, s, m, h or d"));
    }
}
