//! The locale: the language in which texts are shown. The page sets it, and draws everything again.

#[cfg(feature = "pseudo-locale")]
use core::sync::atomic::{AtomicU8, Ordering};

use crate::Messages;

/// A language that has all texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locale {
    /// English.
    English,
    /// English with other letters: see `pseudo.rs`.
    #[cfg(feature = "pseudo-locale")]
    Pseudo,
}

/// The position of the current locale in [`Locale::ALL`].
#[cfg(feature = "pseudo-locale")]
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Locale {
    /// All locales; the first is the default.
    pub const ALL: &[Locale] = &[
        Locale::English,
        #[cfg(feature = "pseudo-locale")]
        Locale::Pseudo,
    ];

    /// Returns its name, in its own language.
    pub const fn name(self) -> &'static str {
        match self {
            Locale::English => "English",
            #[cfg(feature = "pseudo-locale")]
            Locale::Pseudo => pseudo!("Pseudo"),
        }
    }

    /// Returns its tag (BCP 47), for the attribute `lang`.
    pub const fn tag(self) -> &'static str {
        match self {
            Locale::English => "en",
            #[cfg(feature = "pseudo-locale")]
            Locale::Pseudo => "qps-ploc",
        }
    }
}

/// Returns the current locale. With a single one, this is a constant.
#[inline(always)]
pub fn locale() -> Locale {
    #[cfg(feature = "pseudo-locale")]
    if let Some(locale) = Locale::ALL.get(usize::from(CURRENT.load(Ordering::Relaxed))) {
        return *locale;
    }
    Locale::English
}

/// Sets the current locale. Texts that were taken from [`messages`] before stay as they are.
pub fn set_locale(locale: Locale) {
    #[cfg(feature = "pseudo-locale")]
    CURRENT.store(locale as u8, Ordering::Relaxed);
    #[cfg(not(feature = "pseudo-locale"))]
    let Locale::English = locale;
}

/// Returns the texts of the current locale.
#[inline(always)]
pub fn messages() -> &'static Messages {
    match locale() {
        Locale::English => &Messages::ENGLISH,
        #[cfg(feature = "pseudo-locale")]
        Locale::Pseudo => &Messages::PSEUDO,
    }
}
