//! The macro that declares the texts of a view.

/// Declares a table of texts: its struct, and its English value, which is the constant `ENGLISH` of
/// the struct. A doc comment goes to its field.
///
/// ```text
/// texts!(Traffic {
///     title: "Traffic",                                            // &'static str
///     /// The time, and all seconds.
///     at: |second: u32, of: u32| format!("{second} of {of}"),      // fn(second: u32, of: u32) -> String
///     event: |kind: EventKind| -> &'static str { match kind { … } }, // fn(kind: EventKind) -> &'static str
///     heads: ["Stream", "Requests"],                               // [&'static str; 2]
///     none: ("No rows", |seen: u64| format!("{seen} seen")),       // (&'static str, fn(seen: u64) -> String)
///     streams: StreamTexts { title: "Streams" },                   // a table within this one
///     user: &User { title: "One user" },                           // the same, at an address of its own
///     migration: &migration::Migration,                            // the table of another file
/// });
/// ```
///
/// The struct of a table within another one is declared next to it, with the doc comment of its
/// field. The content is a Rust expression, so rustfmt formats it.
macro_rules! texts {
    (
        $(#[$about:meta])*
        $Table:ident {
            $(
                $(#[$meta:meta])*
                $name:ident:
                $($text:literal)?
                $([$($item:tt),* $(,)?])?
                $(($($part:tt)*))?
                $($Within:ident { $($within:tt)* })?
                $(&$Other:ident $({ $($apart:tt)* })? $(::$Elsewhere:ident)?)?
                $(|$($value:ident: $type:ty),* $(,)?| $(-> $returned:ty { $($block:tt)* })? $($body:expr)?)?
            ),* $(,)?
        }
    ) => {
        $(#[$about])*
        pub struct $Table {
            $(
                $(#[$meta])*
                pub $name: texts!(@type
                    $($text)?
                    $([$($item),*])?
                    $(($($part)*))?
                    $($Within)?
                    $(&$Other $(::$Elsewhere)?)?
                    $(|$($value: $type),*| $(-> $returned)?)?
                )
            ),*
        }

        impl $Table {
            /// The texts in English.
            pub const ENGLISH: Self = Self {
                $(
                    $name:
                        $($text)?
                        $([$($item),*])?
                        $(($($part)*))?
                        $($Within::ENGLISH)?
                        $(&$Other $(::$Elsewhere)? ::ENGLISH)?
                        $(|$($value: $type),*| $(-> $returned { $($block)* })? $($body)?)?
                ),*
            };

            /// The texts in the pseudo-locale.
            #[cfg(feature = "pseudo-locale")]
            pub const PSEUDO: Self = Self {
                $(
                    $name: pseudo!(
                        $($text)?
                        $([$($item),*])?
                        $(($($part)*))?
                        $($Within)?
                        $(&$Other $(::$Elsewhere)?)?
                        $(|$($value: $type),*| $(-> $returned { $($block)* })? $($body)?)?
                    )
                ),*
            };
        }

        $(
            texts!(@within $(#[$meta])* : $($Within { $($within)* })? $($Other $({ $($apart)* })?)?);
        )*
    };

    // The table within a field, which has one if braces follow a name.
    (@within $(#[$meta:meta])* : $($Other:ident)?) => {};
    (@within $(#[$meta:meta])* : $Table:ident { $($fields:tt)* }) => {
        texts!($(#[$meta])* $Table { $($fields)* });
    };

    // The type of a field.
    (@type $text:literal) => { &'static str };
    (@type [$first:tt $(, $item:tt)*]) => {
        [texts!(@type $first); [stringify!($first) $(, stringify!($item))*].len()]
    };
    (@type ($text:literal, $($second:tt)*)) => { (&'static str, texts!(@second $($second)*)) };
    (@type $Table:ident) => { $Table };
    (@type &$Other:ident $(::$Elsewhere:ident)?) => { &'static $Other $(::$Elsewhere)? };
    (@type |$($value:ident: $type:ty),*|) => { fn($($value: $type),*) -> ::alloc::string::String };
    (@type |$($value:ident: $type:ty),*| -> $returned:ty) => { fn($($value: $type),*) -> $returned };

    // The type of the second half of a pair.
    (@second $text:literal $(,)?) => { &'static str };
    (@second |$($value:ident: $type:ty),*| $body:expr $(,)?) => {
        texts!(@type |$($value: $type),*|)
    };
}
