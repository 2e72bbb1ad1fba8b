//! The ids of the page's views, which addresses, links and examples use.

/// The list of views, in the order of their tabs: `each_view!(declare)` calls the macro `declare`
/// with all of them. The comment of a view says what it shows. The second name is that of its folder
/// in `ui/src/views`, and its name in addresses.
#[macro_export]
macro_rules! each_view {
    ($declare:ident) => {
        $declare! {
            /// One design: its key, tablets and rows
            Design = design,
            /// All designs side by side
            Compare = compare,
            /// One tablet from inside
            Tablet = tablet,
            /// Traffic on a design, simulated
            Traffic = traffic,
            /// Profiles of users
            Profiles = profiles,
            /// A running server
            Server = server,
        }
    };
}

macro_rules! ids {
    ($(#[doc = $about:literal] $id:ident = $name:ident,)+) => {
        /// A view of the page. For each of them, the page has a value in `ui/src/views`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ViewId {
            $(#[doc = $about] $id,)+
        }

        impl ViewId {
            /// All views. The page shows the first one if an address does not name a view.
            pub const ALL: &[ViewId] = &[$(ViewId::$id),+];

            /// Returns the name of the view in addresses.
            pub fn name(self) -> &'static str {
                match self {
                    $(ViewId::$id => stringify!($name),)+
                }
            }

            /// Returns what the view shows, in a few words.
            pub fn about(self) -> &'static str {
                match self {
                    $(ViewId::$id => $about.trim_ascii(),)+
                }
            }

            /// Returns the query of an address that names the view, including `?`; empty for the
            /// first view.
            pub fn query(self) -> &'static str {
                match self {
                    first if first == ViewId::ALL[0] => "",
                    $(ViewId::$id => concat!("?view=", stringify!($name)),)+
                }
            }
        }
    };
}

each_view!(ids);

impl ViewId {
    /// Returns the view that the query of an address names. The query may have other parameters,
    /// for example if a host adds its own.
    pub fn of_query(query: &str) -> ViewId {
        let name = query.trim_start_matches('?').split('&').find_map(|each| each.strip_prefix("view="));
        ViewId::ALL.iter().copied().find(|view| Some(view.name()) == name).unwrap_or(ViewId::ALL[0])
    }

    /// Returns whether the view only exists on a page that is served by a running server. Links
    /// never name such a view.
    pub fn needs_server(self) -> bool {
        self == ViewId::Server
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_each_view() {
        for view in ViewId::ALL {
            assert_eq!(ViewId::of_query(view.query()), *view);
            assert_eq!(
                ViewId::of_query(&alloc::format!("?host=a&{}", view.query().trim_start_matches('?'))),
                *view
            );
        }
        assert_eq!(ViewId::Traffic.query(), "?view=traffic");
        for none in ["", "?view=none", "?view=tablets", "?preview=traffic"] {
            assert_eq!(ViewId::of_query(none), ViewId::Design, "{none}");
        }
    }
}
