//! The texts that this crate writes for people, in one table: advice, the verdict, fixes, the cost
//! of a part of a key.
//!
//! They are not in the page's table (the crate `texts`), because the worker and the command line
//! write them, too. Errors in what a person typed are not here: their reader writes them, with
//! places in the text.
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
    /// The list of designs.
    pub designs: designs::Designs,
    /// Designs that are proposed.
    pub proposals: proposals::Proposals,
    /// Names of suggested access patterns.
    pub suggestions: suggestions::Suggestions,
    /// Strategies to begin with.
    pub strategies: strategies::StrategyTexts,
    /// Traffic to begin with.
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
