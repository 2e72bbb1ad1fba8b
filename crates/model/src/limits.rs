//! Bigtable's hard limits. Sources: `google/bigtable/v2/data.proto`,
//! `google/bigtable/admin/v2/table.proto` and <https://cloud.google.com/bigtable/quotas>.

/// Bytes of a row key; it has at least one.
pub const ROW_KEY_BYTES_MAX: usize = 4 << 10;
/// Characters of a family name, of `[-_.a-zA-Z0-9]`; it has at least one.
pub const FAMILY_NAME_CHARS_MAX: usize = 64;
/// Bytes of a qualifier; it may be empty.
pub const QUALIFIER_BYTES_MAX: usize = 16 << 10;
/// Bytes of a cell's value; it may be empty.
pub const VALUE_BYTES_MAX: usize = 100 << 20;
/// Bytes of a row that can still be read whole.
pub const ROW_BYTES_MAX: u64 = 256 << 20;
/// Mutations in one request.
pub const MUTATIONS_MAX: usize = 100_000;
/// Bytes of a filter in protobuf encoding.
pub const FILTER_BYTES_MAX: usize = 20_480;
/// Levels of filters within filters.
pub const FILTER_DEPTH_MAX: usize = 20;
/// Characters of a label, of `[a-z0-9-]`; it has at least one.
pub const LABEL_CHARS_MAX: usize = 15;
/// Bytes of a GC rule in protobuf encoding.
pub const GC_RULE_BYTES_MAX: usize = 500;
/// Characters of a table ID: `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`.
pub const TABLE_ID_CHARS_MAX: usize = 50;
/// Tables of one instance.
pub const TABLES_MAX: usize = 1_000;
/// Microseconds: the default granularity of a table's timestamps, one millisecond.
pub const TIMESTAMP_GRANULARITY_MICROS: i64 = 1_000;
