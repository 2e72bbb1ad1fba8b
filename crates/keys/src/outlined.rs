//! Serialization that the page fetches late.

/// Implements `Serialize` and `Deserialize` for types that derive them with
/// `#[serde(remote = "Self")]`. The code for an element is separate from the code for a list or an
/// option of such elements: a first visit has no elements, and the page fetches the code for them
/// later.
#[macro_export]
macro_rules! outlined {
    ($($element:ident),*) => {$(
        impl ::serde::Serialize for $element {
            #[inline(never)]
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $element::serialize(self, serializer)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $element {
            #[inline(never)]
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<$element, D::Error> {
                $element::deserialize(deserializer)
            }
        }
    )*};
}
