//! The texts that this crate writes for users, in one table: examples, proposed designs, presets of
//! strategies and traffic, and names of suggested access patterns.
//!
//! They are not in the page's table (the crate `texts`), because this crate writes some of them
//! into workspaces. Errors in user input are not here: the parser that finds an error writes it,
//! with its position in the text.
//!
//! As in the page's table, a field is a `&'static str`, or a function pointer where values go into
//! the text: plurals, separators and lists are written here. The English value is below its struct.
//! [`texts`] returns a constant, so that the compiler puts each text where it is used.
//!
//! For another language, write a second table (a missing text does not compile), and let [`texts`]
//! return the chosen one; the page tells the worker the choice together with the workspace.

mod designs;
mod examples;
mod load_examples;
mod profile_examples;
mod proposals;
mod strategies;
mod suggestions;
mod traffic;

pub(crate) use examples::ExampleText;

/// The texts of one language.
pub(crate) struct Texts {
    /// Errors of changes to the list of designs.
    pub designs: designs::Designs,
    /// Proposed designs.
    pub proposals: proposals::Proposals,
    /// Names of suggested access patterns.
    pub suggestions: suggestions::Suggestions,
    /// Preset strategies.
    pub strategies: strategies::StrategyTexts,
    /// Preset traffic.
    pub traffic: traffic::TrafficTexts,
    /// Examples of designs.
    pub examples: examples::Examples,
    /// Examples of profiles.
    pub profile_examples: profile_examples::ProfileExamples,
    /// Examples under load.
    pub load_examples: load_examples::LoadExamples,
}

static ENGLISH: Texts = Texts {
    designs: designs::ENGLISH,
    proposals: proposals::ENGLISH,
    suggestions: suggestions::ENGLISH,
    strategies: strategies::ENGLISH,
    traffic: traffic::ENGLISH,
    examples: examples::ENGLISH,
    profile_examples: profile_examples::ENGLISH,
    load_examples: load_examples::ENGLISH,
};

/// The texts of the language in use.
#[inline(always)]
pub(crate) fn texts() -> &'static Texts {
    &ENGLISH
}
