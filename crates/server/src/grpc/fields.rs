//! The numbers of the fields that are read from messages of google.bigtable.v2, by their names in
//! Google's published definition. (Fields that have no effect here are skipped.)

/// Makes a module per message and a constant per field.
macro_rules! messages {
    ($($(#[$about:meta])* $message:ident { $($field:ident = $number:literal),+ })+) => {
        $(
            $(#[$about])*
            pub(crate) mod $message {
                $(pub const $field: u32 = $number;)+
            }
        )+
    };
}

messages! {
    /// `ReadRowsRequest`.
    read_rows_request {
        TABLE_NAME = 1, ROWS = 2, FILTER = 3, ROWS_LIMIT = 4, APP_PROFILE_ID = 5, REQUEST_STATS_VIEW = 6, REVERSED = 7, AUTHORIZED_VIEW_NAME = 9,
        MATERIALIZED_VIEW_NAME = 11
    }
    /// `SampleRowKeysRequest`.
    sample_row_keys_request {
        TABLE_NAME = 1, APP_PROFILE_ID = 2, AUTHORIZED_VIEW_NAME = 4, MATERIALIZED_VIEW_NAME = 5, ROW_RANGE = 6
    }
    /// `MutateRowRequest`.
    mutate_row_request { TABLE_NAME = 1, ROW_KEY = 2, MUTATIONS = 3, APP_PROFILE_ID = 4, AUTHORIZED_VIEW_NAME = 6 }
    /// `MutateRowsRequest`.
    mutate_rows_request { TABLE_NAME = 1, ENTRIES = 2, APP_PROFILE_ID = 3, AUTHORIZED_VIEW_NAME = 5 }
    /// `MutateRowsRequest.Entry`.
    mutate_rows_entry { ROW_KEY = 1, MUTATIONS = 2 }
    /// `CheckAndMutateRowRequest`.
    check_and_mutate_row_request {
        TABLE_NAME = 1, ROW_KEY = 2, TRUE_MUTATIONS = 4, FALSE_MUTATIONS = 5, PREDICATE_FILTER = 6, APP_PROFILE_ID = 7,
        AUTHORIZED_VIEW_NAME = 9
    }
    /// `ReadModifyWriteRowRequest`.
    read_modify_write_row_request { TABLE_NAME = 1, ROW_KEY = 2, RULES = 3, APP_PROFILE_ID = 4, AUTHORIZED_VIEW_NAME = 6 }
    /// `ReadModifyWriteRule`.
    read_modify_write_rule { FAMILY_NAME = 1, COLUMN_QUALIFIER = 2, APPEND_VALUE = 3, INCREMENT_AMOUNT = 4 }
    /// `RowSet`.
    row_set { ROW_KEYS = 1, ROW_RANGES = 2 }
    /// `RowRange`.
    row_range { START_KEY_CLOSED = 1, START_KEY_OPEN = 2, END_KEY_OPEN = 3, END_KEY_CLOSED = 4 }
    /// `RowFilter`.
    row_filter {
        CHAIN = 1, INTERLEAVE = 2, CONDITION = 3, ROW_KEY_REGEX_FILTER = 4, FAMILY_NAME_REGEX_FILTER = 5,
        COLUMN_QUALIFIER_REGEX_FILTER = 6, COLUMN_RANGE_FILTER = 7, TIMESTAMP_RANGE_FILTER = 8, VALUE_REGEX_FILTER = 9,
        CELLS_PER_ROW_OFFSET_FILTER = 10, CELLS_PER_ROW_LIMIT_FILTER = 11, CELLS_PER_COLUMN_LIMIT_FILTER = 12,
        STRIP_VALUE_TRANSFORMER = 13, ROW_SAMPLE_FILTER = 14, VALUE_RANGE_FILTER = 15, SINK = 16, PASS_ALL_FILTER = 17,
        BLOCK_ALL_FILTER = 18, APPLY_LABEL_TRANSFORMER = 19, VALUE_BITMASK_FILTER = 20
    }
    /// `RowFilter.Chain` and `RowFilter.Interleave`.
    filters { FILTERS = 1 }
    /// `RowFilter.Condition`.
    condition { PREDICATE_FILTER = 1, TRUE_FILTER = 2, FALSE_FILTER = 3 }
    /// `ColumnRange`.
    column_range {
        FAMILY_NAME = 1, START_QUALIFIER_CLOSED = 2, START_QUALIFIER_OPEN = 3, END_QUALIFIER_CLOSED = 4, END_QUALIFIER_OPEN = 5
    }
    /// `ValueRange`.
    value_range { START_VALUE_CLOSED = 1, START_VALUE_OPEN = 2, END_VALUE_CLOSED = 3, END_VALUE_OPEN = 4 }
    /// `ValueBitmask`.
    value_bitmask { MASK = 1 }
    /// `TimestampRange`.
    timestamp_range { START_TIMESTAMP_MICROS = 1, END_TIMESTAMP_MICROS = 2 }
    /// `Mutation`.
    mutation {
        SET_CELL = 1, DELETE_FROM_COLUMN = 2, DELETE_FROM_FAMILY = 3, DELETE_FROM_ROW = 4, ADD_TO_CELL = 5, MERGE_TO_CELL = 6
    }
    /// `Mutation.SetCell`.
    set_cell { FAMILY_NAME = 1, COLUMN_QUALIFIER = 2, TIMESTAMP_MICROS = 3, VALUE = 4 }
    /// `Mutation.AddToCell` and `Mutation.MergeToCell`.
    aggregate { FAMILY_NAME = 1, COLUMN_QUALIFIER = 2, TIMESTAMP = 3, INPUT = 4 }
    /// `Mutation.DeleteFromColumn`.
    delete_from_column { FAMILY_NAME = 1, COLUMN_QUALIFIER = 2, TIME_RANGE = 3 }
    /// `Mutation.DeleteFromFamily`.
    delete_from_family { FAMILY_NAME = 1 }
    /// `Value`.
    value { BYTES_VALUE = 2, STRING_VALUE = 3, INT_VALUE = 6, TYPE = 7, RAW_VALUE = 8, RAW_TIMESTAMP_MICROS = 9 }
}
