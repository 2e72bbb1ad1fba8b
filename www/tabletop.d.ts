// Generated from the Rust sources of the API: do not edit. `UPDATE=1 cargo xtask test native types` writes it.
//
// 64-bit integers are BigInts, bytes are Uint8Arrays together with their text, an absent value is null.

/** The Tabletop of this page, with the worker, workspace and tables that the page shows. */
export interface Tabletop {
  /** Resolves to the samples that `sample` can load, when the worker is ready. */
  readonly ready: Promise<SampleInfo[]>;

  /** The version, such as `"0.1.0"`. */
  readonly version: string;

  /** The current workspace: everything that a person has created. */
  workspace(): Promise<Workspace>;

  /**
   * Replaces the workspace. Resolves when all events are in its tables. A source of own data waits for `load`, unless its
   * events are stored in this browser, or this page has read data of that name before.
   */
  open(workspace: Workspace, options?: ProgressOptions): Promise<Workspace>;

  /**
   * Loads a sample that is shipped with the page, by its name. Resolves when its events are in the table. Only the first
   * design stays, with the sample's template or the one in the options. The call rejects if that template does not parse.
   */
  sample(name: string, options?: SampleOptions & ProgressOptions): Promise<Workspace>;

  /** Loads a text of CSV or JSON lines. Resolves when its events are in the tables. Lines that do not parse are in `problems`. */
  load(text: string, options?: LoadOptions & ProgressOptions): Promise<DataView>;

  /**
   * Changes a design, or adds one when `index` is the number of designs. Resolves when its table is built. `problems` lists
   * the errors in a template. The table then is that of the last template without errors.
   */
  design(index: number, patch: DesignPatch): Promise<DesignView>;

  /** The tablets of a design's table, in key order. */
  tablets(index: number): Promise<TableView>;

  /** Reads rows of a design's table. Returns all rows of the query in one result. */
  read(index: number, request?: ReadRequest): Promise<ReadResult>;

  /** A design's table from inside: the memtables and SSTables of a tablet, the blocks of an SSTable, or the bytes of a block. */
  inspect(index: number, look: Inspect): Promise<Inspected>;

  /** Writes the memtable of a tablet as SSTables. No row changes. */
  flush(index: number, tablet: TabletId): Promise<null>;

  /** Requests that the SSTables of a tablet are merged into one. No row changes. Resolves before they are. */
  compact(index: number, tablet: TabletId): Promise<null>;

  /** What a read would touch of the SSTables now: blocks, and what Bloom filters and the ranges of keys rule out. */
  touched(index: number, request?: ReadRequest): Promise<Touched>;

  /**
   * Simulates traffic on a design, to its end: a minute of some thousand requests per second takes about a second. It waits until the
   * tables of the design are built. Without a traffic it is that of the workspace, or the one that the page begins with. The heatmap of the result has the columns of `metric`.
   */
  simulate(index: number, traffic?: Traffic, metric?: HeatMetric): Promise<SimulationChunk>;

  /** The data stored in this browser: a person's own events, set by set, and whether this tab stores more. */
  storage(): Promise<StorageView>;

  /** Stores events in this tab from now on, if the tab that stored them has closed. */
  keep_here(): Promise<StorageView>;

  /** Deletes a stored set, by the number that `storage` returns. Events on the page stay there until it is closed. */
  delete_set(set: number): Promise<StorageView>;

  /** Deletes all stored sets, readable or not. */
  delete_sets(): Promise<StorageView>;

  /** A stored set as a file of JSON lines, which `load` and the page read back. */
  export_set(set: number): Promise<Blob>;

  /**
   * A design's table as one file, which an instance can import: its families, splits and every cell. Rejects while the table
   * is being built, and when it changes during the export.
   */
  export_table(index: number): Promise<Blob>;
}

/** An option that every long call takes. */
export interface ProgressOptions {
  /** Called from time to time while events are loaded and tables are built. */
  on_progress?: (progress: Progress) => void;
}

/** A filter, as text in the notation of the page or as an object. */
export type FilterChoice = string | RowFilter;

/** The error that every call throws or rejects with. */
export interface TabletopError extends Error {
  /** The kind of error, by what the caller can do about it. */
  code: Code;
}

/** The way in which an aggregate family combines the inputs to one cell (one column and time). */
export type Aggregate =
  /** The sum of 64-bit integers, which wraps around. */
  | "sum"
  /** The least of 64-bit integers. */
  | "min"
  /** The greatest of 64-bit integers. */
  | "max"
  /** The approximate number of distinct inputs: HyperLogLog++. */
  | "distinct_count";

/** Numbers of nodes between which an autoscaler chooses, to the CPU target of `ClusterThresholds`. */
export interface AutoscaleRange {
  /** 1 to 100. */
  nodes_min: number;
  /** Not below `nodes_min`, at most 100. */
  nodes_max: number;
}

/** The numbers of a field in a rectangle. */
export interface AxisSpan {
  /** The field's name. */
  field: string;
  /** Inclusive. */
  from: number;
  /** Inclusive. */
  to: number;
}

/** Blocks of an SSTable. */
export interface BlockList {
  /** The file. */
  file: bigint;
  /** All blocks of the file. */
  total: number;
  /** Some of them, in key order. */
  blocks: BlockView[];
}

/** Bytes of a block, with what they mean. */
export interface BlockPage {
  /** The file. */
  file: bigint;
  /** The number of the block. */
  block: number;
  /** Its place in the file. */
  offset: bigint;
  /** All bytes of the block, with the checksum. */
  total: number;
  /** The first byte of this page. */
  from: number;
  /** The bytes of this page. */
  bytes: number[];
  /** The parts that have a byte in this page, in order. Without damage they cover it without gaps. */
  parts: BlockPart[];
  /** Bytes of keys, columns, times (8 each) and values of the rows in the block; `null` for a damaged one. */
  logical_bytes: bigint | null;
  /** The damage: where the bytes are not what the format says. Parts after it are missing. */
  damage: ErrorValue | null;
}

/** A part of a block. */
export interface BlockPart {
  /** Its first byte, counted from that of the block. */
  at: number;
  /** Its bytes. */
  length: number;
  /** What it is. */
  kind: PartKind;
  /** What it says: a number, a time in microseconds, or a text, escaped and at most 200 characters long. */
  text: string;
  /** The column of a value, as family and qualifier, cut in the same way. */
  column: string | null;
}

/** One block of an SSTable, as its index has it. */
export interface BlockView {
  /** Its number in the file. */
  block: number;
  /** The key of its first row. */
  first_key: RowKey;
  /** Rows that begin in it. */
  rows: number;
  /** Cells in it. */
  cells: number;
  /** Bytes in the file, with the checksum. */
  bytes: number;
  /** Its first row began in the block before. */
  continues: boolean;
}

/** One end of a range. */
export type Bound<T> = { Included: T } | { Excluded: T } | "Unbounded";

/** Bytes as text: UTF-8 as it is, other bytes as `\xHH`, control characters in the same way or as `\n`, a backslash doubled. */
export type Bytes = string;

/** What happens to a cluster. */
export type ChangeKind =
  /** It has this number of nodes from now on, 1 to 100. */
  | { nodes: number }
  /** A node fails: its letter, such as `B`. A node that does not exist then is no error. */
  | { fail: string }
  /** The tablet of the design's own table that has a row moves to a node, if both exist then. */
  | {
      move: {
        /** A row key, escaped as in a query. */
        row: string;
        /** The letter of the node. */
        to: string;
      };
    };

/** The effect of one part of a template on a real event. */
export interface ChipView {
  /** The place of the part in the template's text. */
  span: Span;
  /** The input texts. */
  input: string;
  /** The output bytes. */
  output: Bytes;
  /** One line on its cost, or an empty text. */
  cost: string;
}

/** Something that happens to the cluster at a moment. */
export interface ClusterChange {
  /** Seconds since the start. */
  at_seconds: number;
  /** What happens. */
  what: ChangeKind;
}

/** Something that has happened to nodes or tablets. */
export interface ClusterEvent {
  /** Milliseconds since the start. */
  at_millis: number;
  /** Its kind. */
  kind: ClusterEventKind;
  /** What has happened, in words, without its time: `tablet [m, q) from node B to D, 34 % of B's work`. */
  text: string;
}

/** The kinds of what happens, each with a mark of its own on the timeline. */
export type ClusterEventKind =
  /** A tablet was split. */
  | "split"
  /** Tablets were merged. */
  | "merge"
  /** A tablet moved to another node. */
  | "move"
  /** The number of nodes changed. */
  | "resize"
  /** A node failed, or was replaced. */
  | "failure";

/** A change of the cluster that helps. */
export type ClusterFix =
  /** It has this number of nodes from the beginning. */
  | { nodes: number }
  /** The number of nodes follows the load. */
  | { autoscale: AutoscaleRange };

/** Thresholds and pace of the simulated instance. Google publishes no thresholds: these are parameters, and shown as such. */
export interface ClusterSettings {
  /** Bytes at which a tablet is split. `null` scales it to the source, so that a load ends with about two dozen tablets. */
  tablet_bytes_max: bigint | null;
  /** Rows written per second at which a tablet is split. Eight rows that are read count as one. */
  tablet_load_max: number;
  /** Events that arrive per second of the table's own clock. */
  events_per_second: number;
}

/** When nodes are added and tablets move. Google publishes none of these thresholds: they are ours. */
export interface ClusterThresholds {
  /**
   * The mean share of their cores that nodes should use: the target of the autoscaler, and of the advice on the number of nodes. 0.1 to
   * 0.95.
   */
  cpu_target?: number;
  /**
   * Tablets stay where they are while the loads of the busiest and the idlest node differ by less than this share of the mean load. 0.01
   * to 1.
   */
  difference_max?: number;
  /** The share of all tablets that may move in a minute. 0.001 to 1. */
  moved_per_minute?: number;
  /**
   * A tablet is split by load from this number of rows written per second, or eight times as many read; without it, as the workspace's
   * cluster says. 1 to 1,000,000,000.
   */
  tablet_load_max?: number | null;
}

/** The gRPC status codes that a Bigtable client meets. */
export type Code =
  /** The request can never succeed as it is. */
  | "invalid_argument"
  /** The table or family does not exist. */
  | "not_found"
  /** The table or family exists already. */
  | "already_exists"
  /** The request is valid, but the state does not allow it. */
  | "failed_precondition"
  /** A limit of size or memory. */
  | "resource_exhausted"
  /** The caller cancelled. */
  | "cancelled"
  /** Stored bytes are not what was written: the message names file, offset, found and expected. */
  | "data_loss"
  /** Storage refused; the message says whether the write may have happened. */
  | "unavailable"
  /** A bug in Tabletop. */
  | "internal";

export type Column = [string, Bytes, bigint];

/** Qualifiers of one family between two bounds. */
export interface ColumnRange {
  /** The family's name. */
  family: string;
  /** The lower end. */
  start: Bound<Qualifier>;
  /** The upper end. */
  end: Bound<Qualifier>;
}

/** A merging or major compaction that is under way. */
export interface CompactionView {
  /** Files of the SSTables that it merges. */
  files: bigint[];
  /** Bytes of these. */
  bytes: bigint;
  /** Bytes that it has written so far; `null` while a step of it runs. */
  written: bigint | null;
  /** Whether it takes all SSTables of the tablet, and so removes what deletes hide. */
  is_major: boolean;
}

/** XXH64 of all bytes of a file, seed 0. As a text it has 16 hexadecimal digits, as those of `xxhsum -H64`. */
export type ContentDigest = string;

/** A data type: the values of a column family. */
export interface DataType {
  /** The family. */
  family?: string;
  /** The name of the message that each of its values is, package included; empty if that is not known. */
  message?: string;
  /** Who answers for the values: a team. */
  owner?: string;
  /** Where the values come from: a pipeline, a model. */
  provenance?: string;
}

/** The events and the progress of their load. */
export interface DataView {
  /** Names and kinds of the fields. */
  fields: Field[];
  /** Events read so far. */
  events: number;
  /** Bytes read so far, of a file or a sample. */
  bytes: bigint;
  /** The state of the load. */
  state: LoadState;
  /** The first hundred lines that did not parse, and notes on how the file was read, in the order of their places. */
  problems: LoadProblem[];
  /** The number of lines that did not parse. */
  bad_lines: bigint;
  /** The number of own events that a reload restores; `null` if they are not stored. */
  kept: number | null;
  /** Whether this tab stores a person's own events, and if not, why. */
  keeping: Persistence;
  /** The content of the file with a person's own events. A workspace that does not name it learns it from here. */
  content: ContentDigest | null;
}

/**
 * The format of the texts of a time field, with directives of `strftime`: `%d/%m/%Y %H:%M`.
 *
 * Numbers may have one digit or two. Names of months and weekdays are English, whole or the first three letters, in any case. A
 * space stands for one or more. Without `%z` a time is in UTC.
 */
export type DateFormat = string;

/** How values are decoded. */
export type Decoding =
  /** The message of the family if it has one; else text if it is text, eight other bytes as an integer, else hex. */
  | "auto"
  /** JSON laid out over lines. */
  | "json"
  /** UTF-8, with escapes for other bytes. */
  | "text"
  /** A big-endian signed integer of eight bytes, as `ReadModifyWriteRow` and aggregates store it. */
  | "int64"
  /** Two digits per byte. */
  | "hex"
  /** The message of the family; without one, its fields by their numbers. */
  | "protobuf";

/** A row-key template, a layout, and GC rules; and how its results are shown. */
export interface Design {
  /** The name that the person chose. */
  name: string;
  /** The text of a template, as typed: it may have problems. */
  template: string;
  /** The layout of its cells. */
  layout: Layout;
  /**
   * The GC rules and the kinds of families; those that are not named keep all cells, of bytes. The layout and the events say which
   * families there are, so a rule may be of none.
   */
  families: FamilyRule[];
  /**
   * The name of another design, to which this table belongs as an index: that design writes each event into its own table and into
   * this one. Index tables follow their design in the list, and have no index tables of their own.
   */
  index_of: string | null;
  /** How a person sees the results of the table, once they have chosen anything. */
  results: ResultColumns | null;
}

/** Limits of a design once all events are in its table. What is `null` is not limited. */
export interface DesignLimits {
  /** The largest share of the writes of the last seconds in the hottest tablet, 0 to 1. */
  hottest_tablet_share_max?: number | null;
  /** The most bytes of a row key. */
  key_bytes_max?: bigint | null;
  /** The most bytes that are stored per event. */
  bytes_per_event_max?: number | null;
  /** The most events that the design cannot store. */
  events_refused_max?: bigint | null;
}

/** A change of a design. What is `null` stays. */
export interface DesignPatch {
  /** A new name. */
  name?: string | null;
  /** A new template text. */
  template?: string | null;
  /** A new layout. */
  layout?: Layout | null;
  /** New GC rules. */
  families?: FamilyRule[] | null;
}

/** One design and its table at one moment. */
export interface DesignView {
  /** Increases by one with every change of the design or of its events. A view with a lower number is out of date. */
  revision: bigint;
  /** Events in the table. */
  events_built: number;
  /** Events that have arrived, and that the table has as soon as it is built: fewer than it has, when one goes back. */
  events_arrived: number;
  /** Events that the table will have. */
  events_total: number;
  /** Whether events arrive at the pace of the cluster settings. */
  playing: boolean;
  /** Whether events that have arrived, by the clock or all together, are still being written to the table. */
  building: boolean;
  /** The table's own clock, microseconds since its first event arrived. */
  clock_micros: bigint;
  /** Whether SSTables are still being merged: all events are in the table, or a person has asked for it. */
  settling: boolean;
  /** Problems in the template's text. The table keeps the last template without problems. */
  problems: Problem[];
  /** Warnings about the design, the most serious first. */
  warnings: Warning[];
  /** The verdict on the design and the load of its tablets. */
  verdict: Verdict;
  /** One for each part of the template. */
  chips: ChipView[];
  /** Keys of the first rows, in byte order, as the engine has them. */
  first_keys: KeyView[];
  /** Keys of rows around the middle. */
  middle_keys: KeyView[];
  /** Keys of the last rows. */
  last_keys: KeyView[];
  /** Families of the table, in the order of their creation. */
  families: string[];
  /** Columns of the table, family and qualifier, the most frequent first, at most 200: for the filter builder. */
  columns: [string, Bytes][];
  /** The time that GC rules take for the present, in microseconds since 1970: that of the newest event in the table. */
  gc_time: Timestamp | null;
  /** The number of events that the layout could not write. */
  events_refused: number;
  /** The reason for the first of them. */
  refusal: ErrorValue | null;
  /** Bytes at which its tablets are split: from the cluster settings, or scaled to the expected size of the table. */
  tablet_bytes_max: bigint;
  /** Its tablets. */
  table: TableView;
  /** The number of the newest write that a person made by hand, into the table of any design; 0 for none. */
  newest_write: number;
}

/** Something that the traffic shows to be wrong. */
export interface Diagnosis {
  /** Its kind. */
  kind: DiagnosisKind;
  /** Whether it costs answers or latency now; else it is a warning. */
  is_serious: boolean;
  /** What is wrong, as a sentence. */
  text: string;
  /** The figures that show it, as a sentence. */
  evidence: string;
  /** What to do, as a sentence. */
  advice: string;
  /** Changes of the design that help, the best first. */
  fixes: Fix[];
  /** Changes of the cluster that help, the best first. */
  cluster_fixes: ClusterFix[];
  /** The buckets that it is about, `[from, until)`. */
  buckets: [number, number];
}

/** What can be wrong. */
export type DiagnosisKind =
  /** One row has a large share of the requests. No split helps. */
  | "hot_row"
  /** Writes follow the end of the keys, or of a prefix: a diagonal. */
  | "sequential_writes"
  /** Keys with one prefix have a large share of the requests. */
  | "hot_prefix"
  /** A row is read nearly as often as a node can. */
  | "read_pressure"
  /** A row is written nearly as often as a node can. */
  | "write_pressure"
  /** Rows are larger than recommended. */
  | "large_rows"
  /** The load comes in waves. */
  | "periodic_load"
  /** All nodes are busy: more nodes help. */
  | "too_few_nodes"
  /** A node has failed. */
  | "failed_node";

/** The form of a value with the counts of an event's facets, or with a whole event. */
export type Encoding =
  /** JSON, which everybody can read, and filters can look into. */
  | "json"
  /** Protobuf: numbers instead of names, which a `.proto` file explains. */
  | "protobuf"
  /** Lists of texts in a fixed order: the fewest bytes, and only this order explains them. */
  | "compact_list"
  /** MessagePack: the values of JSON, in fewer bytes. */
  | "message_pack";

/** A refused or failed request: none of it was done, unless the code means otherwise. */
export interface ErrorValue {
  /** The kind, with gRPC's name. */
  code: Code;
  /** The problem, its place, and what to do, in one or two sentences. */
  message: string;
}

/** The score of events of one type with one name. */
export interface EventScore {
  /** The type, as in the events: `click`. */
  event_type: string;
  /** The name, as in the events: `homepage`. */
  event_name: string;
  /** 1 to 100. */
  score: number;
}

/**
 * The id of an example: the name of its file. It never changes and is not shown, so an example keeps it under another title and in
 * another language. A workspace may have an id that this build does not know: then it is not an example here.
 */
export type ExampleId = string;

/** The score of a facet, for each of its values. */
export interface FacetScore {
  /** The name of the facet: `brand`. */
  facet: string;
  /** 1 to 100. */
  score: number;
}

/**
 * What a design collects of one family, and how it aggregates. Ages count from the newest event that has arrived: Bigtable collects some time after a cell
 * has expired, and shows it until then (<https://cloud.google.com/bigtable/docs/garbage-collection>).
 */
export interface FamilyRule {
  /** The name of the family. */
  family: string;
  /** The cells that compactions collect. */
  gc_rule: GcRule;
  /** Set for a family that aggregates what events write into one cell: numbers, or for a count of distinct values, any texts. */
  aggregate: Aggregate | null;
}

/** A named, typed field of every event of a set. */
export interface Field {
  /** Unique within the set. */
  name: string;
  /** The kind of its texts. */
  kind: FieldKind;
  /** The format of its times, if it is not one of `FieldKind::Time`. */
  format: DateFormat | null;
}

/** How the text of a field is parsed. A value that does not parse as its kind is treated as text and reported. */
export type FieldKind =
  /** Any text. */
  | "text"
  /** A decimal integer of 64 bits. */
  | "int"
  /** A decimal number. */
  | "float"
  /** `true` or `false`. */
  | "bool"
  /**
   * An instant: ISO 8601 (a date, or a date and time, with or without a zone; without one it is in UTC), or a count since 1970
   * in seconds (up to 10 digits), milliseconds (up to 13) or microseconds; eight digits `YYYYMMDD` are a date.
   */
  | "time"
  /**
   * The facets of an event's object: a JSON array of strings `name:value` (operators `:` `=` `!=` `<` `<=` `>` `>=`), or the
   * same strings separated by `|`.
   */
  | "facets"
  /** Any JSON. */
  | "json";

/** A finding about a design. */
export type Finding =
  /** The table is empty. */
  | "no_rows"
  /** The table has one tablet, so there is nothing to compare. */
  | "one_tablet"
  /** No tablet took a write during the load window. */
  | {
      idle: {
        /** All tablets. */
        tablets: number;
      };
    }
  /** New rows go next to each other. */
  | {
      concentrated: {
        /** The busiest tablets, which take most writes. */
        busy: number;
        /** All tablets. */
        tablets: number;
        /** The share of all writes that the busy ones take. */
        share: number;
      };
    }
  /** New rows will go next to each other, but the loaded events do not arrive in that order. */
  | {
      concentrated_live: {
        /** Tablets that take writes. */
        busy: number;
        /** All tablets. */
        tablets: number;
      };
    }
  /** At any moment the writes go to the ends of a few ranges. */
  | {
      few_ranges: {
        /** These ranges. */
        ranges: number;
        /** The field whose values begin them. */
        field: string;
        /** The share of the busiest tablet. */
        hottest_share: number;
      };
    }
  /** There are too few rows for the load to be spread. */
  | {
      few_rows: {
        /** Different row keys. */
        rows: number;
      };
    }
  /** A key that grows, spread by its salt. */
  | {
      salted: {
        /** Salts of the template. */
        salts: number;
        /** All tablets. */
        tablets: number;
        /** Whether each salt has one place where its rows arrive, or several. */
        one_place_each: boolean;
      };
    }
  /** Salts that are used by few events, or not at all. */
  | {
      uneven_salt: {
        /** Salts of the template. */
        salts: number;
        /** Those that are used. */
        used: number;
        /** The share of the salt that is used most. */
        share: number;
      };
    }
  /** One tablet takes far more than its share, although keys are spread. */
  | {
      skewed: {
        /** Its share of all writes. */
        share: number;
        /** All tablets. */
        tablets: number;
      };
    }
  /** The writes are spread, but one row takes much of them. */
  | {
      large_row: {
        /** Tablets that take writes. */
        busy: number;
        /** All tablets. */
        tablets: number;
        /** The share of the row. */
        share: number;
      };
    }
  /** The writes go to tablets all over the table. */
  | {
      spread: {
        /** Tablets that take writes. */
        busy: number;
        /** All tablets. */
        tablets: number;
        /** The share of the busiest tablet. */
        hottest_share: number;
      };
    };

/** A change of a design that removes a warning. One that moves or adds a field was tried on the sample: it causes no hot spot. */
export interface Fix {
  /** The label of its button. */
  label: string;
  /** The change. */
  patch: DesignPatch;
}

/** The format of the records in a text. */
export type Format =
  /** CSV if the first record parses as such, else JSON lines. */
  | "detect"
  /** RFC 4180 with a header line; comma, semicolon or tab. */
  | "csv"
  /** One JSON object per line, or one array of objects. */
  | "json_lines";

/** The cells that compaction may collect, as in `google.bigtable.admin.v2.GcRule`. */
export type GcRule =
  /** None. */
  | "keep_all"
  /** All versions of each column except this number of the newest ones; at least 1. */
  | { max_versions: number }
  /** Cells that are older than this. */
  | {
      max_age: {
        /** At least a millisecond. */
        micros: bigint;
      };
    }
  /** Cells that any of the rules collects. */
  | { union: GcRule[] }
  /** Cells that all of the rules collect. */
  | { intersection: GcRule[] };

/** Personalization events as Algolia describes them: apps, users with Zipf activity, click, view and conversion. */
export interface GeneratorSettings {
  /** The same seed generates the same events, byte for byte. */
  seed: bigint;
  /** The number of events, 1,000 to 1,000,000. */
  events: number;
  /** The number of apps. An app is a customer with users. */
  apps: number;
  /** The number of users of all apps together. */
  users: number;
  /** Exponent of the users' Zipf distribution, 0 (all alike) to 2. */
  user_skew: number;
}

/** A column of a heatmap: some seconds. */
export interface HeatColumn {
  /** Its first second. */
  second: number;
  /** The number of its seconds. */
  seconds: number;
  /** The value of each bucket: the mean over its seconds, or the largest one of a metric that has no mean. */
  values: number[];
  /** The largest value of a single row in each bucket, in any one second. The same as `values` where the metric is about the largest row. */
  most: number[];
}

/** Columns of a heatmap: the ones that the page does not have, or all. */
export interface HeatColumns {
  /** What the page names when it asks for the next ones. */
  revision: number;
  /** The number of columns of the page's that stay; others are dropped, because they were merged. The new ones follow. */
  keep: number;
  /** The first key of each bucket, ascending; the first is empty. Sent with all columns only: empty if `keep` is not 0. */
  starts: RowKey[];
  /** The metric. */
  metric: HeatMetric;
  /** The new columns. */
  columns: HeatColumn[];
}

/** What the cells of a heatmap show. */
export type HeatMetric =
  /** Requests per second. */
  | "requests"
  /** Reads per second. */
  | "reads"
  /** Writes per second. */
  | "writes"
  /** Bytes read and written per second. */
  | "bytes"
  /** Time of cores that requests take, in cores. */
  | "cpu"
  /** 99 of 100 requests are answered within this number of microseconds. */
  | "latency_p99"
  /** The reads of the busiest row per second, as a share of what a node can do: 0 to 1 and more. An absolute scale. */
  | "read_pressure"
  /** The same for writes. */
  | "write_pressure"
  /** Bytes of the largest row that a request has touched, as a share of the 256 MB that are recommended. An absolute scale. */
  | "large_rows";

/** A look into a table, which changes nothing. */
export type Inspect =
  /** What a tablet consists of. Answer: `Tablet`. */
  | { tablet: TabletId }
  /** Blocks of an SSTable, at most `BLOCKS_MAX`. Answer: `Blocks`. */
  | {
      blocks: {
        /** The file of the SSTable. */
        file: bigint;
        /** The number of the first block. */
        from: number;
        /** The number of blocks. */
        count: number;
      };
    }
  /** Bytes of one block, at most `BLOCK_PAGE_BYTES`. Answer: `Block`. */
  | {
      block: {
        /** The file of the SSTable. */
        file: bigint;
        /** The number of the block. */
        block: number;
        /** The first byte. */
        from: number;
      };
    };

/** The answer to an `Inspect`. */
export type Inspected =
  /** A tablet. */
  | { tablet: TabletInside }
  /** Blocks of an SSTable. */
  | { blocks: BlockList }
  /** Bytes of a block. */
  | { block: BlockPage };

/** Which events the requests of a stream are for. Where a field is named, events without a value for it are not chosen. */
export type KeyChoice =
  /**
   * Each event is equally likely, so a value is requested as often as the events have it. New events are written in the order of
   * the events.
   */
  | "as_events"
  /** Each value of a field is equally likely, and then each event with this value. */
  | {
      uniform: {
        /** The field's name. */
        field: string;
      };
    }
  /**
   * Zipf's law: the event, or the value, of rank r is chosen with a probability proportional to r^-exponent. Ranks are neither
   * in the order of the events nor in that of the values, and do not depend on the seed.
   */
  | {
      zipf: {
        /** The field whose values have the ranks; without it, events have them. */
        field: string | null;
        /** 0 (all alike) to 10. */
        exponent: number;
      };
    }
  /**
   * Zipf's law by age: the newest event has rank 1. Events that the traffic itself has written count, and older ones are dropped
   * for them: as many events have a rank as were loaded.
   */
  | {
      latest: {
        /** 0 (all alike) to 10. */
        exponent: number;
      };
    }
  /** The events in their order, from the first one again when all were chosen. */
  | "sequential"
  /**
   * A share of the requests is for the events of one value, each equally likely. The other requests are for any event,
   * as the events are.
   */
  | {
      hot: {
        /** The field of the value; without it, the share is for one single event. */
        field: string | null;
        /** The value; without it, the most frequent one. */
        value: string | null;
        /** The share of requests, 0 to 1. */
        share: number;
      };
    };

/** Bytes `[start, end)` of a key, and the part of the template that made them. */
export interface KeySpan {
  /** Index of the part. */
  part: number;
  /** Inclusive. */
  start: number;
  /** Exclusive. */
  end: number;
}

/** A key and the bytes of its parts. */
export interface KeyView {
  /** The whole key. */
  key: RowKey;
  /** The bytes of each part, where the template can determine them. */
  spans: KeySpan[];
}

/** The conversion of an event into cells. */
export interface Layout {
  /** The shape. */
  kind: LayoutKind;
  /** The field whose value names the family, for records that are not events with facets; one family if none. */
  family_field: string | null;
  /** What each event writes, for `LayoutKind::Columns`. Other kinds ignore it, so that a person can switch to them and back. */
  columns: Column[];
  /**
   * The form of values that hold counts of facets or a whole event. Workspaces of earlier builds do not have it: their values are JSON.
   * Values of `LayoutKind::Columns`, and those of fields, are texts in any encoding.
   */
  encoding: Encoding;
}

/** The shape of a row. */
export type LayoutKind =
  /** One cell per event, with the record in its value. */
  | "narrow"
  /** A cell per facet or field, so that a filter can select. */
  | "wide"
  /** All events of one entity in one row, with different timestamps. */
  | "row_per_entity"
  /** The cells that `Layout::columns` describe. */
  | "columns";

/** Options of `load`. */
export interface LoadOptions {
  /** The name that the page shows; by default "pasted". */
  name?: string | null;
  /** The format of the records; by default it is detected. */
  format?: Format | null;
  /** Names and kinds of the fields; by default they are detected. */
  fields?: Field[] | null;
  /** What to do with a line that does not parse; by default it is skipped, reported and counted. */
  on_bad_line?: OnBadLine | null;
  /** The template of the first design. By default it stays if it fits the fields, and is replaced by a plain one otherwise. */
  template?: string | null;
  /** The layout of the first design; by default it stays as it is. */
  layout?: Layout | null;
}

/** A line that did not parse, or a note on how a file was read. */
export interface LoadProblem {
  /** The line, from 1. */
  line: bigint;
  /** The column in characters, from 1. */
  column: bigint;
  /** The problem and its remedy. */
  message: string;
  /** Whether the line was lost: else this is a note. */
  lost: boolean;
}

/** The state of a load. */
export type LoadState =
  /** More bytes are expected. */
  | "loading"
  /** All bytes are read. */
  | "loaded"
  /** A person stopped it; what was read stays. */
  | "cancelled"
  /** It ended early; what was read stays. */
  | { failed: ErrorValue }
  /** The load was not finished: the stored events are present, the rest is only in the file. */
  | "interrupted"
  /** The events are a person's own and not stored in this browser: only the person has them. */
  | "awaited";

/** Point reads of rows, each equally likely, so that tablets split and spread over the nodes before a peak that is expected. */
export interface LoadTest {
  /** Reads per second, more than 0 and at most 1,000,000. */
  per_second: number;
  /** When it starts. */
  from_seconds: number;
  /** How long it runs. */
  for_seconds: number;
}

/** A memtable. */
export interface MemtableView {
  /** Bytes of keys, values and cells. */
  bytes: bigint;
  /** Rows in it. */
  rows: bigint;
  /** Cells in it. */
  cells: bigint;
}

/** An access pattern: a query with a name, and limits of its cost. */
export interface NamedQuery {
  /** Unique in its workspace, and not empty. */
  name: string;
  /** The query, which runs on each design. */
  query: Query;
  /** The names of index tables that it reads instead of the tables of their designs. */
  tables: string[];
  /** The limits of its cost. */
  limits: QueryLimits;
  /** How often it runs: its weight in a comparison of designs. With 0 it counts in no total. */
  reads_per_second: number;
}

/** A node in a second. */
export interface NodeSecond {
  /** Its number: 0 is A. */
  id: number;
  /** The share of its cores that was busy, 0 to 1. */
  cpu: number;
  /** Requests that waited or were in service at the end of the second. */
  queue: number;
  /** Tablets that it serves. */
  tablets: number;
}

/** The schema of a corpus: messages, and which of them each data type has. */
export interface ObjectSchema {
  /** The text of .proto files, one after the other, as typed: it may have problems. */
  proto?: string;
  /** Each family once. */
  data_types?: DataType[];
}

/** What to do with a line that does not parse. */
export type OnBadLine =
  /** Report and count it, and continue. */
  | "skip"
  /** Report it and stop. The events before it stay. */
  | "stop";

/** A person's own events: how to read them, not the bytes. */
export interface OwnData {
  /** The file's name, or "pasted". */
  name: string;
  /** The format of the records. */
  format: Format;
  /** Detected or corrected; empty until the first bytes were read. */
  fields: Field[];
  /** What to do with a line that does not parse. */
  on_bad_line: OnBadLine;
  /**
   * The content of the file, so that files of the same name are not confused. Workspaces of earlier builds do not have it: they
   * have the events of any file of the name.
   */
  content: ContentDigest | null;
}

/** The kinds of parts of a block, in the order of the format. */
export type PartKind =
  /** The number of rows. */
  | "row_count"
  /** The time from which the times of rows are counted. */
  | "base_time"
  /** Bytes of all keys. */
  | "keys_length"
  /** Bytes of all rows without their keys. */
  | "data_length"
  /** The number of columns that only this block has. */
  | "column_count"
  /** The number of a column family. */
  | "family"
  /** Bytes of a qualifier. */
  | "qualifier_length"
  /** A qualifier. */
  | "qualifier"
  /** Bytes that a key shares with the one before. */
  | "shared_length"
  /** The other bytes of a key. */
  | "rest_length"
  /** What differs from the key before. The text is the whole key. */
  | "key"
  /** The place of a key that is written whole. */
  | "restart"
  /** The end of a row. */
  | "row_end"
  /** The shape of a row, and how its cells are written. */
  | "row_head"
  /** What a row deletes in older SSTables. */
  | "deletes"
  /** The number of cells of a row without a shape. */
  | "cell_count"
  /** The number of a column. */
  | "column"
  /** A time, as the difference to the one before. */
  | "time"
  /** The number of a word of the dictionary, which is the value. */
  | "word"
  /** Bytes of a value, and how it is written. */
  | "value_length"
  /** A value. */
  | "value"
  /** A value as words of the dictionary and pieces between them. The text is the value. */
  | "tokens"
  /** The checksum of all bytes before it. */
  | "checksum";

/** Whether a tab stores a person's own events in the browser's storage. */
export type Persistence =
  /** The storage is being opened. */
  | "opening"
  /** This tab stores them. */
  | "here"
  /** Another tab stores them. Events that this tab loads are not stored. */
  | "other_tab"
  /** The tab that stored them has closed: this one can take over. */
  | "other_tab_gone"
  /** The browser stores nothing for this page. */
  | { without: ErrorValue }
  /** Stored events can be read, but none are added: the storage is full, or has failed. */
  | { read_only: ErrorValue }
  /** Stored events cannot all be read: they are damaged, or from a newer build. */
  | { broken: ErrorValue };

/** A problem in a text. Parsing returns what it could read, together with the problems. */
export interface Problem {
  /** The place of the problem. */
  span: Span;
  /** The problem, and what to do. */
  message: string;
}

/** Progress of a load. */
export interface Progress {
  /** Events read so far. */
  events: number;
  /** Bytes read so far, of a file or a sample. */
  bytes: bigint;
  /** Events in the table that has the fewest of them. */
  events_built: number;
}

/** The part of a column's name after the family: 0 to 16,384 bytes. */
export type Qualifier = Bytes;

/** A query on the events of one design. */
export interface Query {
  /** The rows to read. */
  rows: RowChoice;
  /** The filter of their cells, if any. */
  filter: RowFilter | null;
  /** The most rows to return; 0 for all. */
  rows_limit: bigint;
  /** Whether keys are in descending order. */
  reversed: boolean;
}

/** Limits of the cost of a query. What is `null` is not limited. */
export interface QueryLimits {
  /** The fewest rows to return: a query that finds nothing costs nothing, and tests nothing. */
  rows_returned_min?: bigint | null;
  /** The most rows that are read per returned row; without returned rows, the most in all. */
  rows_seen_per_row_max?: number | null;
  /** The most cells that are read, before the filter. */
  cells_seen_max?: bigint | null;
  /**
   * The most bytes of SSTable blocks that are read from storage. `tabletop run` reads with an empty cache; on the page, blocks
   * may be cached already.
   */
  bytes_read_max?: bigint | null;
  /** The most SSTable blocks that are needed, from storage or from memory. */
  blocks_max?: bigint | null;
  /** The most tablets that contain the rows. */
  tablets_max?: bigint | null;
  /** The most row ranges and keys of the plan: the number of salts, if the query has one range. */
  ranges_max?: bigint | null;
}

/** A person's own rates and prices. What is `null` is not known yet. */
export interface Rates {
  /** Events per second in the busiest minute. */
  events_per_second_max?: number | null;
  /** Events per day. */
  events_per_day?: number | null;
  /** Days after which an event is collected. */
  days_kept?: number | null;
  /** Clusters with a copy of the table each. */
  clusters?: number;
  /** Rows that a node writes per second. */
  node_writes_per_second?: number;
  /** Rows that a node reads per second. */
  node_reads_per_second?: number;
  /** Bytes that a node can serve. */
  node_bytes?: number;
  /** The part of a node's rates that is used in the busiest minute, 0 to 1. */
  utilization?: number;
  /** The price of a node and hour. */
  node_hour_price?: number | null;
  /** The price of a gigabyte and month. */
  gigabyte_month_price?: number | null;
}

/** One cell. */
export interface ReadCell {
  /** The column family's name. */
  family: string;
  /** The column qualifier as text. */
  qualifier: Bytes;
  /** The column qualifier. */
  qualifier_bytes: Uint8Array;
  /** Microseconds since 1970-01-01 UTC. */
  timestamp: bigint;
  /** The value as text, escaped like a key. */
  value: Bytes;
  /** The value itself. */
  value_bytes: Uint8Array;
  /** The label that `apply_label` has set. */
  label: string | null;
}

/** A query on the table of one design. */
export interface ReadRequest {
  /** The rows to read; by default all. */
  rows?: RowChoice | null;
  /** A filter on these rows, as text or as an object; by default none. */
  filter?: FilterChoice | null;
  /** Most rows to return; 0 for all. */
  rows_limit?: number;
  /** Whether keys are in descending order. */
  reversed?: boolean;
}

/** All rows of a query, and their cost. */
export interface ReadResult {
  /** In logical order, which ignores the salt. */
  rows: ReadRow[];
  /** What the engine read and returned. */
  stats: ReadStats;
  /** Row ranges and keys that the query became: N for a salted template, N + 1 across its cut-over. */
  ranges: number;
  /** Whether more rows were scanned than requested, because the template cannot serve the query by ranges alone. */
  scans_more: boolean;
  /** Microseconds that the worker spent on the query. */
  elapsed_micros: bigint;
}

/** One row. */
export interface ReadRow {
  /** The key as text: UTF-8 as it is, other bytes as `\xHH`, a backslash doubled. */
  key: Bytes;
  /** The key itself. */
  key_bytes: Uint8Array;
  /** Families in the order of their creation, qualifiers by bytes, newest first. */
  cells: ReadCell[];
}

/** The counts of a read: the four of `google.bigtable.v2.ReadIterationStats`, and the work of the engine. */
export interface ReadStats {
  /** Rows that were looked at. SSTables of locality groups that the filter does not need are not looked at. */
  rows_seen: bigint;
  /** Rows that were returned. */
  rows_returned: bigint;
  /**
   * Cells that were looked at: live cells, before the filter. Blocks of a long row with no cell that the filter needs are not
   * looked at.
   */
  cells_seen: bigint;
  /** Cells that were returned. */
  cells_returned: bigint;
  /** Bytes of keys, columns, timestamps (8 each) and values that were returned. */
  bytes_returned: bigint;
  /** Tablets with the requested rows. */
  tablets_touched: bigint;
  /** SSTable blocks that were read from storage. */
  blocks_read: bigint;
  /** Bytes of these blocks. */
  bytes_read: bigint;
  /** SSTable blocks that were in the cache. */
  cache_hits: bigint;
  /** SSTables that a Bloom filter ruled out. */
  bloom_skips: bigint;
}

/** Requests that a person's own service had, all of one kind. They are for row keys, not for events, so they suit one design. */
export interface Replay {
  /** What each request does. */
  operation: ReplayOperation;
  /** The seconds since the start, ascending, and the row key, as text. At most a million. */
  requests: [number, string][];
}

/** What a request of a trace did. */
export type ReplayOperation =
  /** A read of a row. */
  | "read"
  /** A write to a row: a cell of 100 bytes. */
  | "write"
  /** A scan of 100 rows, from a row on. */
  | "scan"
  /** A read-modify-write of a row. */
  | "read_modify_write"
  /** The deletion of a row. */
  | "delete";

/** What a person has chosen for one column. */
export interface ResultColumn {
  /**
   * `family:qualifier`, with escapes for bytes that are no text; or `ResultColumns::KEY` and the other names without a colon, for
   * the columns of a list of cells.
   */
  name: string;
  /** How its values are decoded; `null` as all are. */
  values_as: Decoding | null;
  /** Whether it is shown; `null` if the number of its rows decides. */
  shown: boolean | null;
  /** It stays when the others scroll. */
  pinned: boolean;
  /** px, within `RESULT_COLUMN_WIDTHS`; `null` for the usual one. */
  width: number | null;
}

/** What a person has chosen for the results of a design. */
export interface ResultColumns {
  /** How values are decoded, unless their column says otherwise. */
  values_as: Decoding;
  /** The columns about which something is chosen. */
  columns: ResultColumn[];
  /** What the values of the table mean, once a person has said it: its rows are objects then. */
  objects: ObjectSchema | null;
}

/** A choice of rows by logical keys, which are the keys of the template without its salt. */
export type RowChoice =
  /** The whole table. */
  | "all"
  /** Single rows. */
  | { keys: Bytes[] }
  /** Rows that begin with these bytes. */
  | { prefix: Bytes }
  /** Rows between two keys. */
  | { range: RowRange }
  /** Rows of events with these values, and with a time in `[from, until)`. */
  | {
      fields: {
        /** Field names and the texts that they must have. */
        equals: [string, string][];
        /** A text of kind time, inclusive. */
        from: string | null;
        /** A text of kind time, exclusive. */
        until: string | null;
      };
    }
  /**
   * Rows of events whose two numbers lie in a rectangle, as far as the key's Z-order tells them apart: all points of the steps
   * that the rectangle touches.
   */
  | {
      box: {
        /** One number. */
        x: AxisSpan;
        /** The other one. */
        y: AxisSpan;
        /**
         * How often the plane is divided into quarters, 0 to 32: deeper means more ranges with fewer rows outside of the rectangle.
         * Without it, as deep as 64 ranges allow.
         */
        depth: number | null;
      };
    };

/**
 * Maps the ordered cells of ONE row to an ordered list of cells.
 *
 * Its text form (see `RowFilter::parse`) is for people to write and read; JSON and JavaScript have the same names.
 */
export type RowFilter =
  /** The output of one is the input of the next. At least two. */
  | { chain: RowFilter[] }
  /** Every branch gets the same input; outputs are merged in cell order, duplicates stay. At least two. */
  | { interleave: RowFilter[] }
  /** `on_true` if the predicate lets any cell through, otherwise `on_false`; a missing branch has no output. */
  | {
      condition: {
        /** The condition is true if it has any output cell; its output is not returned. */
        predicate: RowFilter;
        /** Applied to the row if the condition is true. */
        on_true: RowFilter | null;
        /** Applied to the row if it is not. */
        on_false: RowFilter | null;
      };
    }
  /** Cells go directly to the final output, and not to the rest of the chain. Must be `true`. */
  | { sink: boolean }
  /** Every cell. Must be `true`. */
  | { pass_all: boolean }
  /** No cell. Must be `true`. */
  | { block_all: boolean }
  /** Rows whose whole key matches; RE2 over bytes, not empty. */
  | { row_key_regex: Bytes }
  /** Families whose whole name matches; no `:`. */
  | { family_name_regex: string }
  /** Columns whose whole qualifier matches. */
  | { column_qualifier_regex: Bytes }
  /** Cells whose whole value matches. */
  | { value_regex: Bytes }
  /** Columns of one family between two qualifiers. */
  | { column_range: ColumnRange }
  /** Cells with a timestamp in `[start, end)`, whole milliseconds. */
  | { timestamp_range: TimestampRange }
  /** Cells whose value is between two values. */
  | { value_range: ValueRange }
  /** Skips the first n cells of the row. */
  | { cells_per_row_offset: number }
  /** The first n cells of the row. */
  | { cells_per_row_limit: number }
  /** The first (newest) n cells of each column. */
  | { cells_per_column_limit: number }
  /** Rows with probability 0 < p < 1, decided once per row. */
  | { row_sample: number }
  /** Replaces each value by an empty one. Must be `true`. */
  | { strip_value: boolean }
  /** Adds a label to each cell: 1 to 15 of `[a-z0-9-]`, at most one in a chain. */
  | { apply_label: string }
  /** Cells whose value has the mask's length and `value & mask == mask`. */
  | { value_bitmask: Bytes };

/** A row key of 1 to 4,096 bytes; rows sort by it. */
export type RowKey = Bytes;

/** Row keys between two bounds, in byte order. */
export interface RowRange {
  /** The lower end. */
  start: Bound<RowKey>;
  /** The upper end. */
  end: Bound<RowKey>;
}

/** A tablet's part of an SSTable. */
export interface RunView {
  /** The file. */
  file: bigint;
  /** Newer SSTables of a table have higher numbers. One that was merged has that of its newest input. */
  sequence: bigint;
  /** The families of its locality group; empty if the table has one group. */
  families: string[];
  /** How many newer SSTables of its group lie over it: 0 for one whose rows no newer SSTable spans. */
  depth: number;
  /** The first key that it may have. */
  first_key: RowKey;
  /** The last key of its file, or the end of the tablet if that is lower. */
  last_key: RowKey;
  /** Rows that begin in it. */
  rows: bigint;
  /** Cells in it. */
  cells: bigint;
  /** Bytes of its blocks. */
  bytes: bigint;
  /** The number of its first block in the file. */
  first_block: number;
  /** Its blocks. Tablets that were split may have parts of one block. */
  blocks: number;
  /** Deletions in the file; `null` if it does not say. */
  deletions: bigint | null;
  /** Whether other tablets have other parts of the file. */
  is_shared: boolean;
  /** Bytes of the file: blocks, dictionary, index, Bloom filter. */
  file_bytes: bigint;
  /** Bytes of its dictionary. */
  dictionary_bytes: bigint;
  /** Bytes of its Bloom filter. */
  bloom_bytes: bigint;
}

/** A sample set that is shipped with the page. */
export interface SampleInfo {
  /** The name in a workspace. */
  name: string;
  /** The title, for people. */
  title: string;
  /** A description in one sentence. */
  about: string;
  /** Events in it. */
  events: number;
  /** Bytes to fetch. */
  bytes: number;
  /** Licence and origin. */
  licence: string;
  /** A template to begin with. */
  template: string;
}

/** Options of `sample`. */
export interface SampleOptions {
  /** The template of the first design; by default the sample's own. */
  template?: string | null;
  /** The layout of the first design; by default it stays as it is. */
  layout?: Layout | null;
}

/** The rate of a stream over time, as a factor. Seconds count from the start of the traffic. */
export type Schedule =
  /** Always 1. */
  | "constant"
  /** From 1 to `factor` in a straight line, then `factor`. */
  | {
      ramp: {
        /** 0 to 1,000. */
        factor: number;
        /** The start of the line. */
        from_seconds: number;
        /** The end of the line, not before its start. */
        until_seconds: number;
      };
    }
  /** 1, but `factor` in `[from_seconds, from_seconds + for_seconds)`. */
  | {
      sudden: {
        /** 0 to 1,000. */
        factor: number;
        /** The moment of the change. */
        from_seconds: number;
        /** The time until it is over. */
        for_seconds: number;
      };
    }
  /** A wave between 1 and `low`. */
  | {
      periodic: {
        /** The time from peak to peak, such as an hour or a day; at least 1. */
        period_seconds: number;
        /** The moment of a peak. */
        peak_seconds: number;
        /** The factor halfway between two peaks, 0 to 1. */
        low: number;
      };
    };

/** A stored set of a person's own events. */
export interface SetView {
  /** The number of the set. */
  set: number;
  /** The name of the events and how they were read, as a source that can be opened. */
  own: OwnData;
  /** Events that are stored durably. */
  events: number;
  /** Bytes that they take in the storage, about. */
  bytes: bigint;
  /** The state of the load: `Interrupted` if it was cut short, `Loading` if it continues. */
  state: LoadState;
  /** The damage, if any. Events that can still be read can be exported. */
  trouble: ErrorValue | null;
  /** Whether its events are on the screen. */
  shown: boolean;
  /** Whether a workspace that names its data opens this set. It does not if there is a better set of the same name. */
  opens: boolean;
}

/** What the page does not have of a simulation. */
export interface SimulationChunk {
  /** Seconds that are simulated. */
  seconds: number;
  /** Seconds that will be. */
  seconds_total: number;
  /** One of this number of requests is executed, and stands for the others. */
  executed_every: number;
  /** Names of the streams, in the order of `SimulationSecond::streams`: those of the traffic, then the load test's, if there is one. */
  streams: string[];
  /** The second with which `history` begins: the one that the page has asked for, or the first of the last hour, if that is later. */
  history_from: number;
  /** The seconds of the history from there on. */
  history: SimulationSecond[];
  /** What has happened since. */
  cluster_events: ClusterEvent[];
  /** Where tablets are since. */
  places: TabletPlaced[];
  /** What was measured and found at some moments since, about a hundred of all seconds. */
  moments: SimulationMoment[];
  /** The heatmap. */
  heat: HeatColumns;
  /** Figures of all seconds that are simulated, over all streams and of each. */
  totals: StreamTotals[];
  /** What is wrong, the most serious first. */
  diagnoses: Diagnosis[];
  /** The error of the first request that was refused. */
  refusal: ErrorValue | null;
}

/** What a simulation had measured at a moment, and what its last seconds showed to be wrong. */
export interface SimulationMoment {
  /** Seconds that were simulated. */
  second: number;
  /** Figures of all these seconds, over all streams and of each. */
  totals: StreamTotals[];
  /** What was wrong in the last twenty of them, the most serious first. */
  diagnoses: Diagnosis[];
}

/** A second of a simulation. */
export interface SimulationSecond {
  /** The nodes that were up, in the order of their letters. */
  nodes: NodeSecond[];
  /** All requests. */
  all: StreamSecond;
  /** The figures of each stream. */
  streams: StreamSecond[];
  /** The hottest tablet of the design's own table, as its number in `TabletPlaced`, and its share of all work, 0 to 1. */
  hottest: [number, number] | null;
}

/** The source of events. */
export type Source =
  /** Generated from a seed. */
  | { generated: GeneratorSettings }
  /** A sample that is shipped with the page, by its name. */
  | { sample: string }
  /** A person's own events. The bytes stay with the person. */
  | { own: OwnData };

/** Bytes `[start, end)` of a text. */
export interface Span {
  /** Byte offset, inclusive. */
  start: number;
  /** Byte offset, exclusive. */
  end: number;
}

/** The storage of a cluster. */
export type StorageMedium =
  /** Solid state. */
  | "ssd"
  /** Spinning disks. */
  | "hdd";

/** The data stored in this browser for this page. */
export interface StorageView {
  /** Whether this tab stores events. */
  keeping: Persistence;
  /** The sets in the order of their loads. */
  sets: SetView[];
}

/** Scores of events and of facets. What it does not name counts nothing. */
export interface Strategy {
  /** The events that count, each type and name once. */
  events: EventScore[];
  /** The facets that count, each name once. */
  facets: FacetScore[];
  /** Older events do not count: days before the time of the profile, 1 to 3,660. */
  window_days: number;
}

/** Requests of one kind. */
export interface Stream {
  /** Unique in its traffic, and not empty. */
  name: string;
  /** What each request does. */
  what: StreamKind;
  /**
   * The mean number of requests per second, at most 1,000,000, while the factor of the schedule is 1. The times between requests are random, as
   * those of many independent clients (a Poisson process).
   */
  per_second: number;
  /** The events that the requests are for. */
  keys: KeyChoice;
  /** When there are more or fewer requests. */
  when: Schedule;
}

/** What each request of a stream does with the event that was chosen for it. */
export type StreamKind =
  /**
   * Writes a new event. Its values are those of the chosen event, except for its time: new events go on where the loaded ones
   * end, in the same order and at the same distances.
   */
  | "write_events"
  /** Writes the chosen event again, into the row that it has. */
  | "updates"
  /** Reads the row of the event. */
  | "point_reads"
  /** Reads a number of rows, from that of the event on. */
  | {
      scans: {
        /** 1 to 1,000,000. */
        rows: number;
      };
    }
  /** Runs the access pattern with this name, with the values that the event has for its fields. */
  | { pattern: string }
  /** Reads the row of the event and writes it. */
  | "read_modify_write"
  /** Deletes the row of the event. */
  | "deletes"
  /** Replays requests of a trace at their own times, for their own row keys. The rate is only said, and events and schedule do not matter. */
  | { replay: Replay };

/** Requests of a second. */
export interface StreamSecond {
  /** Requests that arrived. */
  arrived: number;
  /** Requests that were answered. */
  answered: number;
  /** Requests whose deadline passed. */
  expired: number;
  /** Requests that the design or the engine refused. */
  refused: number;
  /** Of the answers of this second, in microseconds: median, 95 and 99 of 100, and maximum; 0 without answers. */
  latency_micros: number[];
}

/** Figures of a stream over a simulation. */
export interface StreamTotals {
  /** Its name; empty for all streams together, which are the first entry. */
  name: string;
  /** Requests that arrived. */
  arrived: bigint;
  /** Requests that were answered. */
  answered: bigint;
  /** Requests whose deadline passed. */
  expired: bigint;
  /** Requests that were refused. */
  refused: bigint;
  /** In microseconds: median, 95 and 99 of 100, and maximum; 0 without answers. */
  latency_micros: bigint[];
}

/** One table at one moment. */
export interface TableView {
  /** In key order; together they cover every key. */
  tablets: TabletView[];
  /** Splits since the table was created. */
  splits: bigint;
  /** Merges of tablets since the table was created. */
  merges: bigint;
  /** Minor compactions since the table was created. */
  minor_compactions: bigint;
  /** Merging and major compactions since the table was created. */
  major_compactions: bigint;
  /** SSTable blocks that were read from storage since the table was opened. */
  blocks_read: bigint;
  /** Bytes of these blocks. */
  bytes_read: bigint;
  /** Bytes of keys, columns, timestamps (8 each) and values that reads returned since the table was opened. */
  bytes_returned: bigint;
  /** SSTable blocks that reads found in the cache since the table was opened. */
  cache_hits: bigint;
  /** SSTables that a Bloom filter ruled out since the table was opened. */
  bloom_skips: bigint;
  /** The work of the table's writes. */
  work: TableWork;
  /** The reason why the table cannot be written to; `null` if it can. */
  read_only: ErrorValue | null;
  /**
   * The error of the last call that could not do all background work, or the damage that keeps a tablet from being compacted;
   * `null` if there is none.
   */
  work_error: ErrorValue | null;
}

/**
 * The bytes that a table has written and read since it was created, by purpose. For a table that survives the program, counts
 * after the last change of its files may be missing after a crash.
 */
export interface TableWork {
  /** Bytes of keys, qualifiers, times (8 each) and values that were written to it. */
  user_bytes: bigint;
  /** Bytes of the commit log. */
  logged_bytes: bigint;
  /** Bytes of SSTables that were written from memtables. */
  flushed_bytes: bigint;
  /** Bytes of SSTables that merging and major compactions have read. */
  compaction_bytes_read: bigint;
  /** Bytes of SSTables that merging and major compactions have written. */
  compaction_bytes_written: bigint;
  /** Writes that had to wait for overdue compaction. */
  writes_slowed: bigint;
  /** Bytes of compaction that they waited for. */
  slowed_bytes: bigint;
}

/** The number of a tablet. It is not used again when the tablet is gone. */
export type TabletId = bigint;

/** The parts of one tablet at one moment. */
export interface TabletInside {
  /** The tablet. */
  tablet: TabletId;
  /** The memtable that takes writes, then the one that waits to be written, if there is one. */
  memtables: MemtableView[];
  /** Bytes above which a memtable is written as SSTables. */
  memtable_bytes_max: bigint;
  /** Its parts of SSTables, newest first. */
  runs: RunView[];
  /** So many SSTables may overlap before they are merged. */
  sstables_max: number;
  /** The compaction that is under way in it. */
  compaction: CompactionView | null;
  /** A compaction was requested, and is still to be done. */
  compaction_is_due: boolean;
  /** Ranges whose SSTables cannot be read, with the damage. */
  damaged: [RowKey, ErrorValue][];
}

/** A tablet of the design's own table has appeared, has moved, or is gone. The tablets at a moment are the last entries of each number until then. */
export interface TabletPlaced {
  /** The second at whose end this was seen. */
  second: number;
  /** The number of the tablet in this simulation. */
  tablet: number;
  /** Its first key. */
  start: RowKey;
  /** The number of the node; `null` if the tablet is gone. */
  node: number | null;
}

/** Rows `[start, end)` of one table, served by one node: the unit of splitting and balancing. */
export interface TabletView {
  /** Its identity. */
  id: TabletId;
  /** The tablet it was split from, if it was. */
  parent: TabletId | null;
  /** Inclusive; empty for the beginning of the table. */
  start: RowKey;
  /** Exclusive; empty for the end of the table. */
  end: RowKey;
  /** Rows stored. For rows in SSTables the locality group with most rows counts, because a row may be in several. */
  rows: bigint;
  /** Cells stored. */
  cells: bigint;
  /**
   * Whether rows and cells are counted exactly: no row is in several sources, where it counts several times, and none can be
   * in several locality groups. (Cells that deletes hide count until a major compaction.)
   */
  exact: boolean;
  /** Bytes stored, memtable and SSTables. */
  bytes: bigint;
  /** Bytes in the memtable. */
  memtable_bytes: bigint;
  /** SSTables that hold its rows. */
  sstables: number;
  /** Row reads since it was created. */
  reads: bigint;
  /** Row writes since it was created. */
  writes: bigint;
  /** Row reads per second over the load window. */
  reads_per_second: number;
  /** Row writes per second over the load window. */
  writes_per_second: number;
}

/** Microseconds since 1970-01-01 UTC. */
export type Timestamp = bigint;

/** Times `[start, end)` in microseconds; an end of 0 means no end. */
export interface TimestampRange {
  /** Inclusive. */
  start: Timestamp;
  /** Exclusive; 0 for no end. */
  end: Timestamp;
}

/** The tone of a verdict. */
export type Tone =
  /** There is nothing to judge yet. */
  | "plain"
  /** The design spreads its writes, and no warning contradicts that. */
  | "good"
  /** The writes are spread now, but a warning names a reason why that may change, or why rows are lost. */
  | "caution"
  /** Few tablets take nearly all writes, whatever their number. */
  | "hot";

/** What a read touches of the SSTables of the tablets that it reads. */
export interface Touched {
  /** The tablets, in the order in which they were read. The memtables of each are read, too. */
  tablets: TouchedTablet[];
}

/** A block that a read touches. */
export interface TouchedBlock {
  /** Its number in the file. */
  block: number;
  /** Its bytes. */
  bytes: number;
  /** Whether it was in the cache when the read began. */
  from_cache: boolean;
}

/** What a read touches of an SSTable. One row, or one range of rows, is one search. */
export interface TouchedRun {
  /** The file. */
  file: bigint;
  /** Searches that may find rows in it. */
  searches: bigint;
  /** Searches that its Bloom filter has ended: the row is not there. */
  bloom_skips: bigint;
  /** Searches for keys that are not between its first and its last one. */
  range_skips: bigint;
  /** Searches for columns of other locality groups. */
  group_skips: bigint;
  /** The blocks that were read, in the order of their numbers. */
  blocks: TouchedBlock[];
}

/** What a read touches of a tablet. */
export interface TouchedTablet {
  /** The tablet. */
  tablet: TabletId;
  /** Its SSTables, by file. */
  runs: TouchedRun[];
}

/** Streams of requests, all at the same time. */
export interface Traffic {
  /** At most 64. */
  streams: Stream[];
  /** The same seed gives the same requests at the same times. */
  seed: bigint;
  /** The limits of its cost on each design. */
  limits: TrafficLimits;
  /** How it is simulated. */
  run: TrafficRun;
}

/** Limits of a traffic on a design. What is `null` is not limited. */
export interface TrafficLimits {
  /** The most microseconds in which 99 of 100 requests are answered. */
  latency_micros_p99_max?: bigint | null;
  /** The most requests that wait longer than their deadline. */
  requests_expired_max?: bigint | null;
  /** The largest share of its cores that a node uses on average, 0 to 1. */
  cpu_hottest_node_max?: number | null;
  /** The largest share of the work that the hottest tablet has on average, 0 to 1. */
  hottest_tablet_share_max?: number | null;
}

/** The cluster that serves a traffic, and for how long. */
export interface TrafficRun {
  /** Nodes in the beginning, 1 to 100. */
  nodes: number;
  /** Seconds of virtual time, 1 to 86,400. */
  seconds: number;
  /** The storage of the cluster. */
  storage: StorageMedium;
  /** Whether the number of nodes follows the load. */
  autoscale: AutoscaleRange | null;
  /** Random reads of all rows before a peak. */
  load_test: LoadTest | null;
  /** The table is split in advance into this number of tablets, if its rows allow that; 0 to 4,096. As a table that is created with splits. */
  tablets_min: number;
  /** When nodes are added and tablets move. */
  thresholds: ClusterThresholds;
  /** What a person does to the cluster, and what fails, in the order of its time. */
  changes: ClusterChange[];
}

/** Values between two bounds, in byte order. */
export interface ValueRange {
  /** The lower end. */
  start: Bound<Bytes>;
  /** The upper end. */
  end: Bound<Bytes>;
}

/** The verdict on a design under its load. */
export interface Verdict {
  /** The tone. */
  tone: Tone;
  /** The finding. */
  finding: Finding;
  /** Indices of the tablets that are hot, in key order. */
  hot: number[];
  /** The share of all writes that each tablet would take if the tablets that can take writes took the same, 0 to 1. */
  fair_share: number;
  /** The message of the warning that explains the finding, if there is one. */
  advice: string | null;
  /** The first fix of that warning. */
  fix: Fix | null;
}

/** A problem of a template, shown by the loaded events. */
export interface Warning {
  /** The rule. */
  kind: WarningKind;
  /** Index of the part that it is about, if any. */
  part: number | null;
  /** The problem and its remedy. */
  message: string;
  /** The evidence in the loaded events. */
  evidence: string;
  /** Changes that remove it, the best first; none where only the person can choose. */
  fixes: Fix[];
}

/** The rules of advice. */
export type WarningKind =
  /** New keys lie next to each other: every write goes to one tablet. */
  | "monotonic_first_field"
  /** Few different keys, or few ranges that take the writes of a moment: few tablets can share the load. */
  | "low_cardinality_prefix"
  /** Some salts are never used, or one takes far more than its share. */
  | "uneven_salt"
  /** The salts are few: few tablets can share the load. */
  | "few_salts"
  /** One row takes a large part of the writes, and a row cannot be split. */
  | "large_row"
  /** A salt before a Z-order: neighbours are in different ranges. */
  | "scattered_area"
  /** All events are on one side of a salt's cut-over. */
  | "cut_over_without_effect"
  /** A time with reversed characters, which is in no useful order. */
  | "reversed_time"
  /** `10` sorts before `9`. */
  | "unpadded_number"
  /** A value contains the literal that follows it: keys become ambiguous and ranges too wide. */
  | "separator_inside_value"
  /** Keys over 4 KiB are refused; keys over a few hundred bytes are expensive. */
  | "key_too_long"
  /** Two events have one key: the later one overwrites or joins the earlier one. */
  | "shared_key"
  /** A row per entity in which each row holds one event. */
  | "layout_without_effect"
  /** The values that name families are too many, or contain characters that a family name cannot have. */
  | "family_names"
  /** Values of a field do not parse as its kind and count as text. */
  | "other_kind";

/**
 * Everything that a share link, a saved file and undo contain. Events themselves are not in it: a source describes how to get
 * them again.
 */
export interface Workspace {
  /** `WORKSPACE_VERSION` of the build that wrote it. */
  version: number;
  /** The name that the person chose. */
  name: string;
  /** The source of the events. */
  source: Source;
  /** At least one; each has its own table. */
  designs: Design[];
  /** Thresholds and pace. */
  cluster: ClusterSettings;
  /** The query on the screen. */
  query: Query;
  /** Access patterns: queries that run again and again, which the designs are for. */
  queries: NamedQuery[];
  /** The limits of each design. */
  limits: DesignLimits;
  /** The person's own rates and prices, once there are any. */
  rates: Rates | null;
  /** The traffic on the designs, once there is any. */
  traffic: Traffic | null;
  /** What makes the profiles of users, once there is such a strategy. */
  strategy: Strategy | null;
  /**
   * The number of events that have arrived when the workspace is opened; more than there are means all. Without it, those of a
   * file or a sample have all arrived, and generated ones begin with the first part of them. The command line builds all.
   */
  arrived: number | null;
  /** The example that this is, also once it is edited. It ends with another name and with other events. */
  example: ExampleId | null;
}

declare global {
  interface Window {
    /** Tabletop in this page. Wait for `tabletop.ready` before the first call. */
    readonly tabletop: Tabletop;
  }
  const tabletop: Tabletop;
}
