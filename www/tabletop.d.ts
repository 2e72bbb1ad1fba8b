// Generated from the Rust sources of the API: do not edit. `UPDATE=1 cargo xtask test native types`
// writes it.
//
// 64-bit integers are BigInts, bytes are Uint8Arrays together with their text, an absent value is
// null.

/** The Tabletop of this page, with the worker, workspace and tables that the page shows. */
export interface Tabletop {
  /** Resolves to the samples that `sample` can load, once the worker is ready. */
  readonly ready: Promise<SampleInfo[]>;

  /** The version, such as `"0.1.0"`. */
  readonly version: string;

  /** The current workspace: everything that the user has created. */
  workspace(): Promise<Workspace>;

  /**
   * Replaces the workspace. Resolves when all events are in its tables. A source with the user's
   * own data waits for `load`, unless its events are stored in this browser or this page has
   * already read data with that name.
   */
  open(workspace: Workspace, options?: ProgressOptions): Promise<Workspace>;

  /**
   * Loads a sample that is shipped with the page, by its name. Resolves when its events are in
   * the table. Only the first design is kept, with the template of the sample or of the options.
   * The promise rejects if that template does not parse.
   */
  sample(name: string, options?: SampleOptions & ProgressOptions): Promise<Workspace>;

  /**
   * Loads a text of CSV or JSON lines. Resolves when its events are in the tables. Lines that do
   * not parse are in `problems`.
   */
  load(text: string, options?: LoadOptions & ProgressOptions): Promise<DataView>;

  /**
   * Changes a design, or adds one when `index` is the number of designs. Resolves when its table
   * is built. `problems` lists the errors in a template. In that case the table still uses the
   * last template without errors.
   */
  design(index: number, patch: DesignPatch): Promise<DesignView>;

  /** Returns the tablets of a design's table, in key order. */
  tablets(index: number): Promise<TableView>;

  /** Reads rows of a design's table. Returns all rows of the query in one result. */
  read(index: number, request?: ReadRequest): Promise<ReadResult>;

  /**
   * Returns internals of a design's table: the memtables and SSTables of a tablet, the blocks of
   * an SSTable, or the bytes of a block.
   */
  inspect(index: number, look: Inspect): Promise<Inspected>;

  /** Writes the memtable of a tablet as SSTables. Rows do not change. */
  flush(index: number, tablet: TabletId): Promise<null>;

  /**
   * Requests that the SSTables of a tablet are merged into one. Rows do not change. The promise
   * resolves before the merge is done.
   */
  compact(index: number, tablet: TabletId): Promise<null>;

  /**
   * Returns what a read would touch in the SSTables now: the blocks, and what Bloom filters and
   * key ranges rule out.
   */
  touched(index: number, request?: ReadRequest): Promise<Touched>;

  /**
   * Simulates traffic on a design, to its end: a minute of some thousand requests per second
   * takes about a second. Waits until the tables of the design are built. Without `traffic`,
   * simulates the traffic of the workspace, or the default traffic of the page. The heatmap of
   * the result has the columns of `metric`.
   */
  simulate(index: number, traffic?: Traffic, metric?: HeatMetric): Promise<SimulationChunk>;

  /**
   * Returns what is stored in this browser: the user's own events, set by set, and whether this
   * tab stores more.
   */
  storage(): Promise<StorageView>;

  /** Stores events in this tab from now on, if the tab that stored them has closed. */
  keep_here(): Promise<StorageView>;

  /**
   * Deletes a stored set, by the number that `storage` returns. Events on the page stay there
   * until it is closed.
   */
  delete_set(set: number): Promise<StorageView>;

  /** Deletes all stored sets, readable or not. */
  delete_sets(): Promise<StorageView>;

  /** Exports a stored set as a file of JSON lines, which `load` and the page can read. */
  export_set(set: number): Promise<Blob>;

  /**
   * Exports a design's table as one file, which an instance can import: its families, splits and
   * all cells. Rejects while the table is being built, and if it changes during the export.
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

/** The way in which an aggregate family combines the inputs into one cell (one column and time). */
export type Aggregate =
  /** The sum of 64-bit integers, which wraps around. */
  | "sum"
  /** The smallest of 64-bit integers. */
  | "min"
  /** The largest of 64-bit integers. */
  | "max"
  /** The approximate number of distinct inputs: HyperLogLog++. */
  | "distinct_count";

/**
 * The range of node counts from which an autoscaler chooses, to reach the CPU target of
 * `ClusterThresholds`.
 */
export interface AutoscaleRange {
  /** The minimum number of nodes, 1 to 100. */
  nodes_min: number;
  /** The maximum number of nodes, at least `nodes_min` and at most 100. */
  nodes_max: number;
}

/** The range of one number in a rectangle. */
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
  /** The number of blocks in the file. */
  total: number;
  /** Some of the blocks, in key order. */
  blocks: BlockView[];
}

/** Bytes of a block, with their meaning. */
export interface BlockPage {
  /** The file. */
  file: bigint;
  /** The number of the block. */
  block: number;
  /** The offset in the file. */
  offset: bigint;
  /** The number of bytes of the block, including the checksum. */
  total: number;
  /** The first byte of this page. */
  from: number;
  /** The bytes of this page. */
  bytes: number[];
  /**
   * The parts that have a byte in this page, in order. Without damage they cover it without
   * gaps.
   */
  parts: BlockPart[];
  /**
   * Bytes of keys, columns, times (8 each) and values of the rows in the block; `null` for a
   * damaged one.
   */
  logical_bytes: bigint | null;
  /** The damage, if the bytes do not match the format. Parts after it are missing. */
  damage: ErrorValue | null;
}

/** A part of a block. */
export interface BlockPart {
  /** The offset of its first byte in the block. */
  at: number;
  /** The length in bytes. */
  length: number;
  /** The kind of the part. */
  kind: PartKind;
  /**
   * The content: a number, a time in microseconds, or a text, escaped and at most 200 characters
   * long.
   */
  text: string;
  /** The column of a value, as family and qualifier, shortened in the same way. */
  column: string | null;
}

/** One block of an SSTable, as described in its index. */
export interface BlockView {
  /** The number in the file. */
  block: number;
  /** The key of its first row. */
  first_key: RowKey;
  /** Rows that begin in it. */
  rows: number;
  /** Cells in it. */
  cells: number;
  /** Bytes in the file, with the checksum. */
  bytes: number;
  /** Whether its first row began in the block before. */
  continues: boolean;
}

/** One end of a range. */
export type Bound<T> = { Included: T } | { Excluded: T } | "Unbounded";

/** Bytes as text: UTF-8 as it is, other bytes as `\xHH`, control characters in the same way or as `\n`, a backslash doubled. */
export type Bytes = string;

/** The cause of a warning. */
export type Cause =
  /** Writes concentrate in one place, in a few ranges or in a few rows. */
  | { pattern: PatternCause }
  /** A salt is too small, uneven or harmful. */
  | { salt: SaltCause }
  /** Keys are too long, or several events have the same key. */
  | { key: KeyCause }
  /** A layout has no effect, or makes too many families or a row that takes much. */
  | { layout: LayoutCause }
  /** Values do not suit their place in the key. */
  | { value: ValueCause };

/** The timestamp of a cell. */
export type CellTime =
  /** The time of the event. */
  | "event"
  /**
   * The time of the event, rounded down to a multiple of this many seconds since 1970: one cell
   * for all events within such a span.
   */
  | { bucket: number }
  /** The time 0, which is 1970: one cell for all events of a column. */
  | "zero";

/** The kinds of changes of a cluster. */
export type ChangeKind =
  /** The cluster has this number of nodes from now on, 1 to 100. */
  | { nodes: number }
  /**
   * A node fails: its letter, such as `B`. If the node does not exist at that moment, nothing
   * happens.
   */
  | { fail: string }
  /**
   * The tablet of the design's own table that has a row moves to a node, if both exist at that
   * moment.
   */
  | {
      move: {
        /** A row key in the tablet, escaped as in a query. */
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
  /** The moment, in seconds since the start. */
  at_seconds: number;
  /** The change. */
  what: ChangeKind;
}

/** An event of nodes or tablets. */
export interface ClusterEvent {
  /** The kind of the event. */
  kind: ClusterEventKind;
  /** The event in words, without its time: `tablet [m, q) from node B to D, 34% of B's work`. */
  text: string;
  /** Milliseconds since the start. */
  at_millis: number;
  /** The index table that has the tablet; `null` for the design's own table, and for nodes. */
  table: string | null;
  /** What happened. */
  cause: ClusterEventCause;
}

/** What happened to nodes or tablets. */
export type ClusterEventCause =
  /** A tablet has moved to another node. */
  | {
      moved: {
        /** The first key of the tablet. */
        start: RowKey;
        /** The first key after it; empty for the end of the table. */
        end: RowKey;
        /** The node that served it. */
        from: string;
        /** The node that serves it now. */
        to: string;
        /** The share of the work of `from`, 0 to 1. */
        share: number;
      };
    }
  /** A tablet was split. */
  | {
      split: {
        /** The first key of the new tablet. */
        at_key: RowKey;
      };
    }
  /** Adjacent tablets became one. */
  | {
      merged: {
        /** The first key of the tablet that no longer exists. */
        at_key: RowKey;
      };
    }
  /** A node was added. */
  | {
      added: {
        /** The node. */
        node: string;
      };
    }
  /** A node was removed; its tablets are served by others. */
  | {
      removed: {
        /** The node. */
        node: string;
      };
    }
  /** A node has failed. */
  | {
      failed: {
        /** The node. */
        node: string;
      };
    }
  /** A node replaces one that has failed. */
  | {
      replaced: {
        /** The new node. */
        node: string;
      };
    }
  /** The autoscaler has changed the number of nodes. */
  | {
      resized: {
        /** The number of nodes before. */
        from: number;
        /** The number of nodes after. */
        to: number;
        /** The mean share of their cores that the nodes used, 0 to 1. */
        cpu: number;
      };
    };

/** The kinds of cluster events. Each has its own mark on the timeline. */
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
  /** The cluster has this number of nodes from the beginning. */
  | { nodes: number }
  /** The number of nodes follows the load. */
  | { autoscale: AutoscaleRange };

/**
 * Thresholds and pace of the simulated instance. Google does not publish its thresholds, so these
 * are parameters, and displayed as such.
 */
export interface ClusterSettings {
  /**
   * Number of bytes at which a tablet is split. `null` scales it to the source, so that a
   * complete load has about two dozen tablets.
   */
  tablet_bytes_max: bigint | null;
  /**
   * Number of rows written per second at which a tablet is split. Eight rows that are read count
   * as one.
   */
  tablet_load_max: number;
  /** Number of events that arrive per second of the table's own clock. */
  events_per_second: number;
}

/**
 * The thresholds at which nodes are added and tablets move. Google does not publish them, so these
 * are our own.
 */
export interface ClusterThresholds {
  /**
   * The mean share of their cores that nodes should use, 0.1 to 0.95: the target of the
   * autoscaler, and of the advice about the number of nodes.
   */
  cpu_target?: number;
  /**
   * Tablets are not moved while the loads of the busiest and the idlest node differ by less than
   * this share of the mean load, 0.01 to 1.
   */
  difference_max?: number;
  /** The share of all tablets that may move per minute, 0.001 to 1. */
  moved_per_minute?: number;
  /**
   * Rows written per second at which a tablet is split by load, 1 to 1,000,000,000. Eight rows
   * that are read count as one. `null` uses the setting of the workspace's cluster.
   */
  tablet_load_max?: number | null;
}

/** The gRPC status codes that a Bigtable client meets. */
export type Code =
  /** The request can never succeed as it is. */
  | "invalid_argument"
  /** The table or family does not exist. */
  | "not_found"
  /** The table or family already exists. */
  | "already_exists"
  /** The request is valid, but the state does not allow it. */
  | "failed_precondition"
  /** A limit of size or memory was exceeded. */
  | "resource_exhausted"
  /** The caller cancelled the request. */
  | "cancelled"
  /** Stored bytes are not what was written: the message names file, offset, found and expected. */
  | "data_loss"
  /** Storage refused; the message says whether the write may have happened. */
  | "unavailable"
  /** A bug in Tabletop. */
  | "internal";

/**
 * A column that each event writes. The texts are written like a row key: literals, and fields with
 * their transforms in braces. An event without a value for one of the fields does not write the
 * column.
 */
export interface Column {
  /**
   * The name of the family: `e`, `{event_type}`. A value with characters that a name must not
   * have is converted, see `family_name`.
   */
  family: string;
  /** The qualifier: `price`, `{event_name}`, `{timestamp:hour}`. It may be empty. */
  qualifier: string;
  /**
   * The value of the cell: `{price}`, a literal, or `Column::RECORD` for the whole event as
   * JSON. It may be empty.
   */
  value: string;
  /** The timestamp of the cell. */
  time: CellTime;
}

/** Qualifiers of one family between two bounds. */
export interface ColumnRange {
  /** The name of the family. */
  family: string;
  /** The lower bound. */
  start: Bound<Qualifier>;
  /** The upper bound. */
  end: Bound<Qualifier>;
}

/** A merging or major compaction in progress. */
export interface CompactionView {
  /** Files of the SSTables that it merges. */
  files: bigint[];
  /** Bytes of these SSTables. */
  bytes: bigint;
  /** Bytes written so far; `null` while a step is running. */
  written: bigint | null;
  /** Whether it takes all SSTables of the tablet and therefore removes what deletes hide. */
  is_major: boolean;
}

/**
 * XXH64 of all bytes of a file, seed 0. Its text has 16 hexadecimal digits, like the output of
 * `xxhsum -H64`.
 */
export type ContentDigest = string;

/** A data type: the values of a column family. */
export interface DataType {
  /** The family. */
  family?: string;
  /**
   * The full name of the message that each value is, including the package; empty if it is not
   * known.
   */
  message?: string;
  /** Who is responsible for the values, such as a team. */
  owner?: string;
  /** Where the values come from: a pipeline, a model. */
  provenance?: string;
}

/** The events and the progress of their load. */
export interface DataView {
  /** Names and kinds of the fields. */
  fields: Field[];
  /** Number of events read so far. */
  events: number;
  /** Number of bytes of a file or a sample that were read so far. */
  bytes: bigint;
  /** The state of the load. */
  state: LoadState;
  /**
   * The first hundred lines that did not parse, and notes on how the file was read, ordered by
   * line.
   */
  problems: LoadProblem[];
  /** The total number of lines that did not parse. */
  bad_lines: bigint;
  /** The number of the user's own events that a reload restores; `null` if they are not stored. */
  kept: number | null;
  /** Whether this tab stores the user's own events, and if not, why. */
  keeping: Persistence;
  /**
   * The digest of the file with the user's own events. A workspace that does not name it yet
   * takes it from here.
   */
  content: ContentDigest | null;
}

/**
 * The format of the texts of a time field, with directives of `strftime`: `%d/%m/%Y %H:%M`.
 *
 * Numbers may have one or two digits. Names of months and weekdays are English, in full or only
 * the first three letters, in upper or lower case. A space in the format matches one or more
 * spaces. Without `%z` a time is in UTC.
 */
export type DateFormat = string;

/** How values are decoded. */
export type Decoding =
  /**
   * The message of the family if it has one; otherwise text if the value is text, an integer if
   * it is eight other bytes, or hexadecimal.
   */
  | "auto"
  /** JSON, formatted over several lines. */
  | "json"
  /** UTF-8, with escapes for other bytes. */
  | "text"
  /** A big-endian signed integer of eight bytes, as `ReadModifyWriteRow` and aggregates store it. */
  | "int64"
  /** Two digits per byte. */
  | "hex"
  /** The message of the family. Without one, the fields are shown by their numbers. */
  | "protobuf";

/** A row-key template, a layout and GC rules, together with how its results are displayed. */
export interface Design {
  /** The name that the user has chosen. */
  name: string;
  /** The text of a template, as typed. It may have problems. */
  template: string;
  /** The layout of the cells. */
  layout: Layout;
  /**
   * The GC rules and the aggregates of families. Families that are not listed keep all cells and
   * do not aggregate. The layout and the events determine which families exist, so a rule may be
   * for a family that does not.
   */
  families: FamilyRule[];
  /**
   * The name of another design, if this is an index table of it: that design writes each event
   * into its own table and into this one. Index tables follow their design in the list, and
   * cannot have index tables themselves.
   */
  index_of: string | null;
  /** How the user views the results of the table, once the user has changed anything. */
  results: ResultColumns | null;
}

/** Limits of a design once all events are in its table. A limit that is `null` does not apply. */
export interface DesignLimits {
  /** The maximum share of the writes of the last seconds that the hottest tablet has, 0 to 1. */
  hottest_tablet_share_max?: number | null;
  /** The maximum length of a row key, in bytes. */
  key_bytes_max?: bigint | null;
  /** The maximum number of stored bytes per event. */
  bytes_per_event_max?: number | null;
  /** The maximum number of events that the design cannot store. */
  events_refused_max?: bigint | null;
  /**
   * The maximum number of events that have the row of a different event or, in a layout whose
   * rows have many events, its cells. Equal events count as one.
   */
  events_overwritten_max?: bigint | null;
}

/** A change of a design. Fields that are `null` are not changed. */
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
  /**
   * Increases by one with every change of the design or of its events. A view with a lower
   * number is outdated.
   */
  revision: bigint;
  /** Number of events in the table. */
  events_built: number;
  /**
   * Number of events that have arrived, and that will be in the table once it is built. It is
   * lower than `events_built` while the table goes back to an earlier moment.
   */
  events_arrived: number;
  /** Number of events that the table will have in the end. */
  events_total: number;
  /** Whether events arrive at the pace of the cluster settings. */
  playing: boolean;
  /** Whether events that have arrived are still being written to the table. */
  building: boolean;
  /** The table's own clock, microseconds since its first event arrived. */
  clock_micros: bigint;
  /**
   * Whether SSTables are still being merged, because all events are in the table or because the
   * user has requested a compaction.
   */
  settling: boolean;
  /** Problems in the template's text. The table keeps the last template without problems. */
  problems: Problem[];
  /** Warnings about the design, the most serious first. */
  warnings: Warning[];
  /** Whether advice is still being measured, so that warnings and fixes may be to come. */
  advising: boolean;
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
  /**
   * Columns of the table, family and qualifier, the most frequent first, at most 200: for the
   * filter builder.
   */
  columns: [string, Bytes][];
  /**
   * The time that GC rules use as the current time, in microseconds since 1970: the time of the
   * newest event in the table.
   */
  gc_time: Timestamp | null;
  /** The number of events that the layout could not write. */
  events_refused: number;
  /** The reason for the first refused event. */
  refusal: ErrorValue | null;
  /**
   * Number of bytes at which a tablet of the table is split: from the cluster settings, or
   * scaled to the expected size of the table.
   */
  tablet_bytes_max: bigint;
  /** The table with its tablets. */
  table: TableView;
  /** The number of the newest manual write, in the table of any design; 0 if there is none. */
  newest_write: number;
}

/** A problem that the traffic shows. */
export interface Diagnosis {
  /** The kind of the problem. */
  kind: DiagnosisKind;
  /** What is wrong, as a sentence. */
  text: string;
  /** The figures that show it, as a sentence. */
  evidence: string;
  /** What to do, as a sentence. */
  advice: string;
  /** What is wrong, with the figures that show it. */
  symptom: Symptom;
  /** Whether it currently affects answers or latency. Otherwise it is a warning. */
  is_serious: boolean;
  /** Changes of the design that help, the best first. */
  fixes: Fix[];
  /** Changes of the cluster that help, the best first. */
  cluster_fixes: ClusterFix[];
  /** The affected buckets, `[from, until)`. */
  buckets: [number, number];
}

/** What can be wrong. */
export type DiagnosisKind =
  /** One row has a large share of the requests. No split helps. */
  | "hot_row"
  /** Writes follow the end of the keys, or of a prefix: a diagonal in the heatmap. */
  | "sequential_writes"
  /** Keys with one prefix have a large share of the requests. */
  | "hot_prefix"
  /** Writes follow each other under a prefix, where new keys always land after the last split. */
  | "sequential_prefix"
  /** A row is read nearly as often as a node can. */
  | "read_pressure"
  /** A row is written nearly as often as a node can. */
  | "write_pressure"
  /** Rows are larger than recommended. */
  | "large_rows"
  /** The load comes in waves. */
  | "periodic_load"
  /** All nodes are busy, and more nodes would help. */
  | "too_few_nodes"
  /** Some nodes cannot keep up, and others are idle. */
  | "unbalanced"
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

/**
 * A rejected or failed request: nothing was changed, unless the code or the message says
 * otherwise.
 */
export interface ErrorValue {
  /** The kind of the error, with gRPC's name. */
  code: Code;
  /** The problem, where it is, and what to do, in one or two sentences. */
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
 * The id of an example: the name of its file. It never changes and is not shown, so an example
 * keeps it under another title and in another language. A workspace may have an id that this build
 * does not know: then it is not an example here.
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
 * The garbage collection and the aggregation of one family. Ages are relative to the newest event
 * that has arrived. Bigtable collects a cell some time after it has expired, and returns it until
 * then (<https://cloud.google.com/bigtable/docs/garbage-collection>).
 */
export interface FamilyRule {
  /** The name of the family. */
  family: string;
  /** The cells that compactions collect. */
  gc_rule: GcRule;
  /**
   * Set for a family that aggregates what events write into one cell: numbers, or for a count of
   * distinct values, any texts.
   */
  aggregate: Aggregate | null;
}

/** A named, typed field of every event of a set. */
export interface Field {
  /** Unique within the set. */
  name: string;
  /** The kind of its texts. */
  kind: FieldKind;
  /** The format of its times, if it differs from the formats of `FieldKind::Time`. */
  format: DateFormat | null;
}

/**
 * How the text of a field is parsed. A value that does not parse as its kind is treated as text
 * and reported.
 */
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
   * An instant: ISO 8601 (a date, or a date and time, with or without a zone; without one it is
   * in UTC), or a count since 1970 in seconds (up to 10 digits), milliseconds (up to 13),
   * microseconds (up to 16) or nanoseconds; eight digits `YYYYMMDD` are a date.
   */
  | "time"
  /**
   * The facets of an event's object: a JSON array of strings `name:value` (operators `:` `=`
   * `!=` `<` `<=` `>` `>=`), or the same strings separated by `|`.
   */
  | "facets"
  /** Any JSON. */
  | "json";

/**
 * What the values of a field are to a key. The crate `advice` finds it in the values; the user can
 * correct it.
 */
export type FieldRole =
  /** The time at which the event happened. */
  | "event_time"
  /** An instant of something else: a delivery, a birth. */
  | "other_time"
  /** What follows from the clock: a date, a time of day, a weekday, a month, a year. */
  | "part_of_time"
  /** An identifier that several events share: a user, a device, a symbol. */
  | "shared_identifier"
  /** An identifier of one event. */
  | "unique_identifier"
  /** One of few values: a status, a country, a color. */
  | "category"
  /** A quantity: a temperature, a price, a duration. */
  | "measure"
  /** A number that rises from event to event: a row number, an order number. */
  | "counter"
  /** Sentences, JSON or lists: content that is not looked up as a whole. */
  | "free_text"
  /** A coordinate. */
  | "place"
  /** A web address. */
  | "url";

/** A finding about a design. */
export type Finding =
  /** The table is empty. */
  | "no_rows"
  /** The table has one tablet, so there is nothing to compare. */
  | "one_tablet"
  /** No tablet took a write during the load window. */
  | {
      idle: {
        /** The number of all tablets. */
        tablets: number;
      };
    }
  /** The events are too few to judge, or have no time. */
  | {
      not_judged: {
        /** The number of events. */
        events: number;
      };
    }
  /** Events are not stored, or not in a place of their own. */
  | {
      incomplete: {
        /** What the design loses. */
        losses: Losses;
      };
    }
  /** The answer to an access pattern differs from a plain filter over the events. */
  | { wrong_answer: WrongAnswer }
  /**
   * The loaded events go to a few tablets at a time, because of the order of their file; live
   * events will not.
   */
  | {
      hot_while_loading: {
        /** The share of the busiest tablet. */
        share: number;
        /** The number of all tablets. */
        tablets: number;
        /** The share of the live events that the busiest tablet will take. */
        live_share: number;
      };
    }
  /** New rows go next to each other. */
  | {
      concentrated: {
        /** The busiest tablets, which take most writes. */
        busy: number;
        /** The number of all tablets. */
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
        /** The number of all tablets. */
        tablets: number;
      };
    }
  /** At any moment the writes go to the ends of a few ranges. */
  | {
      few_ranges: {
        /** The field whose values begin them, or the fields as a list in a sentence. */
        field: string;
        /** The number of ranges. */
        ranges: number;
        /** The fields whose values begin them. */
        fields: string[];
        /** The share of the busiest tablet. */
        hottest_share: number;
      };
    }
  /** Too few rows for the load to be spread. */
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
        /** The number of all tablets. */
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
        /** The salts that are used. */
        used: number;
        /** The share of the salt that is used most. */
        share: number;
      };
    }
  /** One tablet takes far more than its share, although keys are spread. */
  | {
      skewed: {
        /** The share of all writes. */
        share: number;
        /** The number of all tablets. */
        tablets: number;
      };
    }
  /** The writes are spread, but one row takes much of them. */
  | {
      large_row: {
        /** Tablets that take writes. */
        busy: number;
        /** The number of all tablets. */
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
        /** The number of all tablets. */
        tablets: number;
        /** The share of the busiest tablet. */
        hottest_share: number;
      };
    };

/** A change to a design that removes a warning. It was measured: it does what it says. */
export interface Fix {
  /** The label of its button. */
  label: string;
  /** What it does. */
  kind: FixKind;
  /** The change. */
  patch: DesignPatch;
  /** What it changes, as measured. */
  effect: FixEffect;
}

/**
 * What a fix changes, measured before it is offered. Heat is that of the events of one moment:
 * see `LiveLoad::heat`.
 */
export interface FixEffect {
  /**
   * The share of the writes that one tablet takes, before and after; `null` if the events are too
   * few, or have no time.
   */
  heat: number[] | null;
  /**
   * The number of events without a place of their own, before and after: of the sample, until all
   * events are counted.
   */
  lost: number[];
  /** The access patterns that it changes. */
  patterns: PatternEffect[];
}

/** What a fix does to a design. */
export type FixKind =
  /** Puts a field before a part. */
  | {
      put_before: {
        /** The field. */
        field: string;
        /** The name of the part. */
        next: string;
      };
    }
  /** Puts this field before the time. */
  | { put_before_time: string }
  /** Adds these fields to the end. */
  | { add_to_end: string[] }
  /** Moves the part with this name to the end. */
  | { move_to_end: string }
  /** Removes this part, written as in the template. */
  | { remove: string }
  /** Salts the key with this number of salts. */
  | { salt: number }
  /** Makes the salt of the whole key. */
  | "salt_over_key"
  /** Removes the salt. */
  | "remove_salt"
  /** Removes the cut-over of the salt, so that all events are salted. */
  | "remove_cut_over"
  /** Writes this time as `iso`. */
  | { write_as_iso: string }
  /** Changes the layout to narrow. */
  | "use_narrow"
  /** Writes the time as `reverse_time`. */
  | "reverse_time"
  /** Writes the time as `reverse_time` and moves it to the end. */
  | "reverse_time_at_end"
  /** Puts this field first and writes the time as `reverse_time`. */
  | { start_with_and_reverse_time: string }
  /** Writes the time as `reverse_time` and salts the key with this number of salts. */
  | { reverse_time_and_salt: number }
  /** Pads a number to this many digits. */
  | { pad: number }
  /** Combines two numbers in a Z-order. */
  | {
      z_order: {
        /** The field of the first number. */
        x: string;
        /** The field of the second number. */
        y: string;
      };
    }
  /** Changes the separator to this one. */
  | { separate_with: string }
  /** Writes the hash of this field. */
  | { hash: string }
  /** Writes the characters of this field in reverse order. */
  | { reverse: string }
  /** Writes this text where a value is absent. */
  | {
      or: {
        /** The field. */
        field: string;
        /** The text. */
        text: string;
      };
    }
  /** Writes another field instead of a field that some events lack. */
  | {
      replace: {
        /** The field. */
        field: string;
        /** The other field. */
        with: string;
      };
    }
  /** Does all of these. */
  | { several: FixKind[] };

/** The format of the records in a text. */
export type Format =
  /** CSV if the first record parses as CSV, otherwise JSON lines. */
  | "detect"
  /** RFC 4180. The separator is a comma, a semicolon, a tab or a vertical bar. */
  | "csv"
  /** JSON objects, one after another, or one array of objects. */
  | "json_lines";

/** The cells that compaction may collect, as in `google.bigtable.admin.v2.GcRule`. */
export type GcRule =
  /** No cells. */
  | "keep_all"
  /** All versions of each column except this number of the newest ones; at least 1. */
  | { max_versions: number }
  /** Cells that are older than this. */
  | {
      max_age: {
        /** The age; at least a millisecond. */
        micros: bigint;
      };
    }
  /** Cells that any of the rules collects. */
  | { union: GcRule[] }
  /** Cells that all of the rules collect. */
  | { intersection: GcRule[] };

/**
 * Personalization events as Algolia describes them: apps, users with Zipf activity, click, view
 * and conversion.
 */
export interface GeneratorSettings {
  /** The seed. The same seed generates the same events, byte for byte. */
  seed: bigint;
  /** The number of events, 1,000 to 1,000,000. */
  events: number;
  /** The number of apps. An app is a customer with users. */
  apps: number;
  /** The number of users of all apps together. */
  users: number;
  /** Exponent of the users' Zipf distribution, 0 (all equally active) to 2. */
  user_skew: number;
}

/** The role that the user has given to a field. */
export interface GivenRole {
  /** The name of the field. */
  field: string;
  /** Its role. */
  role: FieldRole;
}

/** Whether the first line of a CSV file has the names of the columns. */
export type HeaderLine =
  /** It has names, unless its values are of the same kinds as those below it. */
  | "detect"
  /** It has names. */
  | "present"
  /** It is a record: the columns are called `column_1`, `column_2`, … */
  | "absent";

/** A column of a heatmap, which covers some seconds. */
export interface HeatColumn {
  /** The first second. */
  second: number;
  /** The number of its seconds. */
  seconds: number;
  /**
   * The value of each bucket: the mean over its seconds, or the maximum for a metric that cannot
   * be averaged.
   */
  values: number[];
  /**
   * The largest value of a single row in each bucket, in any one second. Equal to `values` if
   * the metric is about the largest row.
   */
  most: number[];
}

/** Columns of a heatmap: either those that the page does not have, or all. */
export interface HeatColumns {
  /** The version of these columns, which the page sends when it requests the next ones. */
  revision: number;
  /**
   * Number of the page's columns that stay; later ones are dropped because they were merged. The
   * new ones follow.
   */
  keep: number;
  /**
   * The first key of each bucket, ascending; the first is empty. Only sent together with all
   * columns: empty if `keep` is not 0.
   */
  starts: RowKey[];
  /** The metric. */
  metric: HeatMetric;
  /** The new columns. */
  columns: HeatColumn[];
}

/** The quantity that the cells of a heatmap show. */
export type HeatMetric =
  /** Requests per second. */
  | "requests"
  /** Reads per second. */
  | "reads"
  /** Writes per second. */
  | "writes"
  /** Bytes read and written per second. */
  | "bytes"
  /** CPU time of requests per second, in cores. */
  | "cpu"
  /** The 99th percentile of the latency, in microseconds. */
  | "latency_p99"
  /**
   * The reads of the busiest row per second, as a share of what a node can serve: 0 to 1 and
   * more. An absolute scale.
   */
  | "read_pressure"
  /**
   * The writes of the busiest row per second, as a share of what a node can serve: 0 to 1 and
   * more. An absolute scale.
   */
  | "write_pressure"
  /**
   * The size of the largest row that a request has touched, as a share of the recommended
   * maximum of 256 MB. An absolute scale.
   */
  | "large_rows";

/** A request for internals of a table, which changes nothing. */
export type Inspect =
  /** The parts of a tablet. Answer: `Tablet`. */
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

/** Keys are too long, or several events have the same key. */
export type KeyCause =
  /** Keys are longer than a table accepts. */
  | {
      too_long: {
        /** The part that takes most of the longest key. */
        part: LongPart;
        /** Events of the sample that are refused. */
        refused: number;
        /** Events of the sample. */
        events: number;
        /** Bytes of the longest key. */
        longest_bytes: number;
      };
    }
  /** Keys are long, which costs bytes in every row and read. */
  | {
      expensive: {
        /** The part that takes most of the longest key. */
        part: LongPart;
        /** Bytes of the longest key. */
        longest_bytes: number;
        /** Mean bytes of a key. */
        mean_bytes: number;
      };
    }
  /**
   * Events of the sample with the same row, column and time replace each other, in a layout that
   * shares rows.
   */
  | {
      replacing: {
        /** Events that are replaced. */
        replaced: number;
        /** Events of the sample. */
        events: number;
        /** One of the keys. */
        example: string;
      };
    }
  /** Events of the sample share rows, in a layout with a row for each event. */
  | {
      sharing: {
        /** Events in shared rows. */
        shared: number;
        /** Events of the sample. */
        events: number;
        /** One of the keys. */
        example: string;
      };
    }
  /**
   * Events of the sample share rows and replace cells of each other, in a layout with a row for
   * each event.
   */
  | {
      sharing_and_replacing: {
        /** Events in shared rows. */
        shared: number;
        /** Events of the sample. */
        events: number;
        /** One of the keys. */
        example: string;
        /** Events that are replaced, in whole or in part. */
        replaced: number;
      };
    }
  /** The key begins with an identifier of single events, so no range of events can be read. */
  | {
      only_identifier: {
        /** The field. */
        field: string;
      };
    }
  /** Events without a value that the key needs are refused. */
  | {
      absent: {
        /** The fields. */
        fields: string[];
        /** Events that are refused: of all, or of the sample until these are counted. */
        refused: number;
        /** Events that were examined: all, or a sample until all are counted. */
        events: number;
      };
    }
  /** Events of the whole table share rows or replace each other. */
  | {
      counted: {
        /** The counts of the table. */
        counts: WriteCounts;
        /** What is lost. */
        loss: KeyLoss;
        /** What helps. */
        remedy: KeyRemedy;
      };
    };

/**
 * Which events the requests of a stream are for. If the choice names a field, events without a
 * value for it are not chosen.
 */
export type KeyChoice =
  /**
   * Each event is equally likely, so a value is requested in proportion to the number of events
   * that have it. New events are written in the order of the events.
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
   * Zipf's law: the event, or the value, of rank r is chosen with a probability proportional to
   * r^-exponent. The ranks are independent of the order of the events and of the values, and of
   * the seed.
   */
  | {
      zipf: {
        /** The field whose values are ranked. Without it, events are ranked. */
        field: string | null;
        /** The exponent, 0 (all equally likely) to 10. */
        exponent: number;
      };
    }
  /**
   * Zipf's law by age: the newest event has rank 1. Events that the traffic itself has written
   * are ranked as well, and push out the oldest ones: the number of ranked events is always the
   * number of loaded events.
   */
  | {
      latest: {
        /** The exponent, 0 (all equally likely) to 10. */
        exponent: number;
      };
    }
  /** The events in their order, beginning again after the last one. */
  | "sequential"
  /**
   * A share of the requests is for the events with one value, each equally likely. The other
   * requests are for any event, each equally likely.
   */
  | {
      hot: {
        /** The field with the value. Without it, the share is for a single event. */
        field: string | null;
        /** The value. Without it, the most frequent one. */
        value: string | null;
        /** The share of requests, 0 to 1. */
        share: number;
      };
    };

/** What is lost where events of the whole table have the same key. */
export type KeyLoss =
  /** In a layout that shares rows: cells with the same row, column and time. */
  | "shared_cells"
  /** Nothing, but rows hold several events. */
  | "nothing"
  /** Whole events. */
  | "events"
  /** Some cells. */
  | "cells";

/** What helps against shared keys. */
export type KeyRemedy =
  /** A field at the end of the key that distinguishes the events. */
  | "add_field"
  /** An identifier that the application adds: no field of the events helps, except for measures. */
  | "add_identifier"
  /** None: the events are equal, and only their number is lost. */
  | "duplicates";

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
  /**
   * The field whose value names the family, for records that are not events with facets. `null`
   * writes them all into one family.
   */
  family_field: string | null;
  /**
   * What each event writes, for `LayoutKind::Columns`. Other kinds ignore it, so that the user
   * can switch to them and back.
   */
  columns: Column[];
  /**
   * The form of values that hold counts of facets or a whole event. Workspaces of earlier builds
   * do not have it: their values are JSON. Values of `LayoutKind::Columns`, and the values of
   * fields, are always texts.
   */
  encoding: Encoding;
}

/** A layout has no effect, or makes too many families or a row that takes much. */
export type LayoutCause =
  /** Values that name families are many. */
  | {
      many_families: {
        /** Families. */
        families: number;
        /** Events of the sample. */
        events: number;
        /** About the maximum number of families that a table should have. */
        families_max: number;
      };
    }
  /** A value that names a family has characters that a name cannot have. */
  | {
      changed_family: {
        /** The name of the family. */
        family: string;
      };
    }
  /** No two events share a row, in a layout with a row per entity. */
  | {
      without_effect: {
        /** Why. */
        reason: NoEffect;
        /** Events of the sample. */
        events: number;
      };
    }
  /** One row takes a large part of the writes. */
  | {
      large_row: {
        /** The share of the events. */
        share: number;
        /** The fields that name its entity. */
        entity: string[];
        /** What helps. */
        remedy: RowRemedy;
        /** The key of the row. */
        row: string;
        /** Events of the row. */
        events: number;
        /** Events of the sample. */
        all: number;
      };
    };

/** The shape of a row. */
export type LayoutKind =
  /** One cell per event, whose value is the whole record. */
  | "narrow"
  /** One cell per facet or field, so that a filter can select single ones. */
  | "wide"
  /** All events of one entity in one row, with different timestamps. */
  | "row_per_entity"
  /** The cells that `Layout::columns` describe. */
  | "columns";

/** Options of `load`. */
export interface LoadOptions {
  /** The name that the page shows. Defaults to "pasted". */
  name?: string | null;
  /** The format of the records. By default it is detected. */
  format?: Format | null;
  /** Names and kinds of the fields. By default they are detected. */
  fields?: Field[] | null;
  /** What to do with a line that does not parse. By default it is skipped, reported and counted. */
  on_bad_line?: OnBadLine | null;
  /** The encoding, and whether the first line is a header. By default they are detected. */
  reading?: Reading | null;
  /**
   * The template of the first design. By default the current template stays if it fits the
   * fields, and is otherwise replaced by a plain one.
   */
  template?: string | null;
  /** The layout of the first design. By default it is not changed. */
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
  /** The user cancelled the load. Events that were read stay. */
  | "cancelled"
  /** The load failed. Events that were read stay. */
  | { failed: ErrorValue }
  /** The load was not completed: the stored events are loaded, and the rest is only in the file. */
  | "interrupted"
  /**
   * The events are the user's own and are not stored in this browser. The user must choose the
   * file again.
   */
  | "awaited";

/**
 * Point reads of random rows, each equally likely, so that tablets split and spread over the nodes
 * before an expected peak.
 */
export interface LoadTest {
  /** Number of reads per second, more than 0 and at most 1,000,000. */
  per_second: number;
  /** When it begins, in seconds since the start. */
  from_seconds: number;
  /** How long it runs, in seconds. */
  for_seconds: number;
}

/** The keys of a log of requests on a design. */
export interface LogKeys {
  /** Number of requests in the log. */
  requests: number;
  /** Number of requests whose keys do not have the stated form. */
  unread: number;
  /**
   * Whether the design has keys of another form, so that keys were converted, and requests with
   * unreadable keys were left out.
   */
  is_converted: boolean;
}

/** The part that takes most of the longest key. */
export type LongPart =
  /** A literal text. */
  | "literal"
  /** A part with these fields. */
  | { fields: string[] };

/** The events that a design does not keep. Events that are equal in all fields count as one. */
export interface Losses {
  /** All events. */
  events: number;
  /** Events that are equal to an earlier one in all fields. */
  duplicates: number;
  /** Events that have no key or no cells: a value is absent, or does not fit. */
  refused: number;
  /** Events that have the row, or in a layout that shares rows the cells, of a different event. */
  shared: number;
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
  /** The names of the index tables that it reads instead of the tables of their designs. */
  tables: string[];
  /** The limits of its cost. */
  limits: QueryLimits;
  /**
   * How often it runs: its weight in a comparison of designs. With 0, it is left out of the
   * totals.
   */
  reads_per_second: number;
}

/** Why no two events share a row. */
export type NoEffect =
  /**
   * The layout takes this time out of the key, and the rest of the key is different for each
   * event.
   */
  | { only_without_time: string }
  /** The key has nothing but this time. */
  | { only_time: string }
  /** The key has the time in a form that cannot become a timestamp. */
  | {
      time_in_form: {
        /** The field. */
        time: string;
        /** The form. */
        form: TimeForm;
      };
    }
  /** Another reason. */
  | "different_keys";

/** A node in a second. */
export interface NodeSecond {
  /** The number: 0 is A. */
  id: number;
  /** The share of its cores that was busy, 0 to 1. */
  cpu: number;
  /** Requests that waited or were in service at the end of the second. */
  queue: number;
  /** Tablets that it serves. */
  tablets: number;
}

/** How numbers with commas and other separators are read: `1.234,56`, `12,5`, `1,234.50`, `1 234,5`. */
export type NumberReading =
  /** The values of a column decide, then the other columns and the delimiter. */
  | "detect"
  /** Where both are possible, a point is before the decimals: `1,234` is 1234. */
  | "point"
  /** Where both are possible, a comma is before the decimals: `1,234` is 1.234. */
  | "comma"
  /** Texts stay as they are written, so `12,5` is not a number. */
  | "as_written";

/** The schema of a corpus: its messages, and the message of each data type. */
export interface ObjectSchema {
  /** The text of .proto files, one after the other, as typed. It may have problems. */
  proto?: string;
  /** The data types. Each family occurs once. */
  data_types?: DataType[];
}

/** What to do with a line that does not parse. */
export type OnBadLine =
  /** Report and count the line, and continue. */
  | "skip"
  /** Report the line and stop. The events before it stay. */
  | "stop";

/** The user's own events: how to read them, without their bytes. */
export interface OwnData {
  /** The file's name, or "pasted". */
  name: string;
  /** The format of the records. */
  format: Format;
  /** The fields, as detected or corrected; empty until the first bytes are read. */
  fields: Field[];
  /** What to do with a line that does not parse. */
  on_bad_line: OnBadLine;
  /** The choices about what is otherwise detected in the bytes. */
  reading: Reading;
  /**
   * The content of the file, so that files with the same name are not confused. Workspaces of
   * earlier builds do not have it, and accept any file with the same name.
   */
  content: ContentDigest | null;
}

/** The kinds of parts of a block, in the order of the format. */
export type PartKind =
  /** The number of rows. */
  | "row_count"
  /** The base time, relative to which the times of rows are stored. */
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
  /** The number of bytes that a key shares with the one before. */
  | "shared_length"
  /** The other bytes of a key. */
  | "rest_length"
  /** The bytes that differ from the key before. The text is the whole key. */
  | "key"
  /** The offset of a key that is stored whole. */
  | "restart"
  /** The end of a row. */
  | "row_end"
  /** The shape of a row, and how its cells are written. */
  | "row_head"
  /** The deletions of a row, which hide cells in older SSTables. */
  | "deletes"
  /** The number of cells of a row without a shape. */
  | "cell_count"
  /** The number of a column. */
  | "column"
  /** A time, as the difference to the one before. */
  | "time"
  /** The number of a word of the dictionary, which is the value. */
  | "word"
  /** Bytes of a value, and how it is stored. */
  | "value_length"
  /** A value. */
  | "value"
  /** A value as words of the dictionary with pieces between them. The text is the value. */
  | "tokens"
  /** The checksum of all bytes before it. */
  | "checksum";

/** Writes concentrate in one place, in a few ranges or in a few rows. */
export type PatternCause =
  /** The key starts with a time, or with a part of one. */
  | {
      leading_time: {
        /** The field. */
        time: string;
        /** What helps. */
        remedy: TimeRemedy;
        /** What the sample shows of it. */
        shown: RisingEvidence;
      };
    }
  /** The key starts with fields that are not a time, in whose order the events arrive. */
  | {
      leading_order: {
        /** The fields of the first part. */
        fields: string[];
        /** Whether no other field can begin the key: only a salt helps. */
        is_alone: boolean;
        /** What the sample shows of it. */
        shown: RisingEvidence;
      };
    }
  /** Few values come before a time. */
  | {
      few_ranges: {
        /** The number of these values. */
        ranges: number;
        /** The fields of these values. */
        fields: string[];
        /** The time after them. */
        time: string;
        /** The share of the events of one moment that go to one of them, in percent. */
        hottest_percent: number;
      };
    }
  /** Few different keys. */
  | {
      few_rows: {
        /** Different keys. */
        rows: number;
        /** Events of the sample. */
        events: number;
      };
    };

/** What a fix changes for an access pattern. */
export interface PatternEffect {
  /** The name of the pattern. */
  name: string;
  /** How its rows are found before. */
  before: RowsFound;
  /** How they are found after. */
  after: RowsFound;
}

/** Whether a tab stores the user's own events in the browser's storage. */
export type Persistence =
  /** The storage is being opened. */
  | "opening"
  /** This tab stores them. */
  | "here"
  /** Another tab stores them. Events that this tab loads are not stored. */
  | "other_tab"
  /** The tab that stored them has closed, so this tab can take over. */
  | "other_tab_gone"
  /** The browser does not offer storage to this page. */
  | { without: ErrorValue }
  /**
   * Stored events can be read, but new ones cannot be stored: the storage is full, or has
   * failed.
   */
  | { read_only: ErrorValue }
  /** Some stored events cannot be read: they are damaged, or were stored by a newer build. */
  | { broken: ErrorValue };

/** A problem in a text. Parsing returns what could be read, together with the problems. */
export interface Problem {
  /** The position of the problem. */
  span: Span;
  /** The problem, and what to do. */
  message: string;
}

/** The progress of a load. */
export interface Progress {
  /** Number of events read so far. */
  events: number;
  /** Number of bytes of a file or a sample that were read so far. */
  bytes: bigint;
  /** Number of events in the table that has the fewest. */
  events_built: number;
}

/** The part of a column's name after the family: 0 to 16,384 bytes. */
export type Qualifier = Bytes;

/** A query on the events of one design. */
export interface Query {
  /** The rows to read. */
  rows: RowChoice;
  /** The filter for their cells, if there is one. */
  filter: RowFilter | null;
  /** The maximum number of rows to return; 0 for all. */
  rows_limit: bigint;
  /** Whether keys are in descending order. */
  reversed: boolean;
}

/** Limits of the cost of a query. A limit that is `null` does not apply. */
export interface QueryLimits {
  /**
   * The minimum number of rows to return. Without it, a query that finds nothing would meet all
   * other limits.
   */
  rows_returned_min?: bigint | null;
  /**
   * The maximum number of rows that are read per returned row; if no rows are returned, the
   * maximum in total.
   */
  rows_seen_per_row_max?: number | null;
  /** The maximum number of cells that are read, before the filter. */
  cells_seen_max?: bigint | null;
  /**
   * The maximum number of bytes of SSTable blocks that are read from storage. `tabletop run`
   * reads with an empty cache; on the page, blocks may be cached already.
   */
  bytes_read_max?: bigint | null;
  /** The maximum number of SSTable blocks that are needed, whether from storage or from memory. */
  blocks_max?: bigint | null;
  /** The maximum number of tablets that contain the rows. */
  tablets_max?: bigint | null;
  /**
   * The maximum number of row ranges and keys in the plan. If the query has one range, this is
   * the number of salts.
   */
  ranges_max?: bigint | null;
}

/** A user's own rates and prices. A value that is `null` is not known yet. */
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
  /**
   * The part of a node's rates that is used in the busiest minute, 0 to 1. A workspace with a
   * traffic has its target instead: see `Workspace::utilization`.
   */
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
  /** The timestamp in microseconds since 1970-01-01 UTC. */
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
  /** The rows to read. Defaults to all rows. */
  rows?: RowChoice | null;
  /** A filter for these rows, as text or as an object. There is none by default. */
  filter?: FilterChoice | null;
  /** Maximum number of rows to return; 0 for all. */
  rows_limit?: number;
  /** Whether keys are in descending order. */
  reversed?: boolean;
}

/** All rows of a query, and their cost. */
export interface ReadResult {
  /** The rows in logical order, which ignores the salt. */
  rows: ReadRow[];
  /** Statistics of what the engine has read and returned. */
  stats: ReadStats;
  /**
   * Number of row ranges and keys of the query: N for a salted template, N + 1 across its
   * cut-over.
   */
  ranges: number;
  /**
   * Whether more rows were scanned than requested, because the template cannot serve the query
   * by ranges alone.
   */
  scans_more: boolean;
  /** Microseconds that the worker has spent on the query. */
  elapsed_micros: bigint;
}

/** One row. */
export interface ReadRow {
  /** The key as text: UTF-8 unchanged, other bytes as `\xHH`, and backslashes doubled. */
  key: Bytes;
  /** The key itself. */
  key_bytes: Uint8Array;
  /**
   * The cells, with families in the order of their creation, qualifiers in byte order, and the
   * newest version first.
   */
  cells: ReadCell[];
}

/**
 * The counts of a read: the four of `google.bigtable.v2.ReadIterationStats`, and the work of the
 * engine.
 */
export interface ReadStats {
  /**
   * Rows that were examined. SSTables of locality groups that the filter does not need are not
   * examined.
   */
  rows_seen: bigint;
  /** Rows that were returned. */
  rows_returned: bigint;
  /**
   * Cells that were examined: live cells, before the filter. Blocks of a long row without a cell
   * that the filter needs are not examined.
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

/** How a file is read where its bytes do not say it. What is not chosen is detected. */
export interface Reading {
  /** The encoding of the text. */
  encoding?: TextEncoding;
  /** Whether the first line of a CSV file has the names of the columns. */
  header?: HeaderLine;
  /** How numbers with commas and other separators are read. */
  numbers?: NumberReading;
  /** The time zone of times of day without one. */
  zone?: TimeZone;
}

/**
 * Requests recorded from the user's own service, all of one kind. They are for row keys, not for
 * events. A design with other row keys gets them if the form of the recorded keys is known.
 */
export interface Replay {
  /** What each request does. */
  operation: ReplayOperation;
  /**
   * For each request the time in seconds since the start, ascending, and the row key, as text.
   * At most a million.
   */
  requests: [number, string][];
  /**
   * The number of requests that each request of the trace stands for, 1 to 1,000,000: a trace is
   * often a sample, with one of this many requests of a service. They arrive within a second.
   */
  one_of: number;
  /** How many times as fast as they were recorded the requests are replayed, 0.1 to 1,000. */
  speed: number;
  /**
   * The form of the row keys: a template of a design. Another design gets each request with the
   * key that it makes of the values in the recorded key. If empty, each design gets the recorded
   * keys.
   */
  keys: string;
}

/** What a request of a trace did. */
export type ReplayOperation =
  /** A read of a row. */
  | "read"
  /** A write to a row: a cell of 100 bytes. */
  | "write"
  /** A scan of 100 rows, beginning at a row. */
  | "scan"
  /** A read-modify-write of a row. */
  | "read_modify_write"
  /** A deletion of a row. */
  | "delete";

/** The user's choices for one column. */
export interface ResultColumn {
  /**
   * `family:qualifier`, with escapes for bytes that are not text; or `ResultColumns::KEY` and
   * the other names without a colon, for the columns of a list of cells.
   */
  name: string;
  /** How its values are decoded; `null` for the setting of the table. */
  values_as: Decoding | null;
  /** Whether it is shown; `null` if this depends on the number of its rows. */
  shown: boolean | null;
  /** Whether it stays visible when the other columns scroll. */
  pinned: boolean;
  /** The width in CSS pixels, within `RESULT_COLUMN_WIDTHS`; `null` for the default width. */
  width: number | null;
}

/** The user's choices for the results of a design. */
export interface ResultColumns {
  /** How values are decoded, unless their column overrides it. */
  values_as: Decoding;
  /** The columns for which the user has chosen something. */
  columns: ResultColumn[];
  /**
   * What the values of the table mean, once the user has defined it. Then its rows are shown as
   * objects.
   */
  objects: ObjectSchema | null;
}

/** What the sample shows of an increasing key. */
export type RisingEvidence =
  /** Too few events to show an order. */
  | { too_few_events: number }
  /** New events were made of the loaded ones, at one moment. */
  | {
      one_moment: {
        /** The share of these events that go to one place, in percent. */
        percent: number;
      };
    };

/** A choice of rows by logical keys, that is, keys of the template without its salt. */
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
        /** Field names, and the texts that the fields must have. */
        equals: [string, string][];
        /** A text of kind time. Inclusive. */
        from: string | null;
        /** A text of kind time. Exclusive. */
        until: string | null;
      };
    }
  /**
   * Rows of events whose two numbers are in a rectangle, with the precision of the key's
   * Z-order: all points of the steps that the rectangle touches.
   */
  | {
      box: {
        /** One number. */
        x: AxisSpan;
        /** The other number. */
        y: AxisSpan;
        /**
         * How often the plane is divided into quarters, 0 to 32. Deeper means more ranges, and
         * fewer rows outside of the rectangle. Without it, as deep as 64 ranges allow.
         */
        depth: number | null;
      };
    };

/**
 * Maps the ordered cells of ONE row to an ordered list of cells.
 *
 * Its text form (see `RowFilter::parse`) is for users to write and read; JSON and JavaScript use
 * the same names.
 */
export type RowFilter =
  /** The output of each filter is the input of the next. At least two. */
  | { chain: RowFilter[] }
  /**
   * Every branch gets the same input. Outputs are merged in cell order, and duplicates are kept.
   * At least two.
   */
  | { interleave: RowFilter[] }
  /**
   * Applies `on_true` if the predicate lets any cell through, otherwise `on_false`. A missing
   * branch has no output.
   */
  | {
      condition: {
        /** The condition is true if this has any output cell; the output itself is not returned. */
        predicate: RowFilter;
        /** Applied to the row if the condition is true. */
        on_true: RowFilter | null;
        /** Applied to the row if the condition is false. */
        on_false: RowFilter | null;
      };
    }
  /** Cells go directly to the final output, not to the rest of the chain. Must be `true`. */
  | { sink: boolean }
  /** Every cell. Must be `true`. */
  | { pass_all: boolean }
  /** No cells. Must be `true`. */
  | { block_all: boolean }
  /** Rows whose whole key matches; RE2 over bytes, not empty. */
  | { row_key_regex: Bytes }
  /** Families whose whole name matches. It must not contain `:`. */
  | { family_name_regex: string }
  /** Columns whose whole qualifier matches. */
  | { column_qualifier_regex: Bytes }
  /** Cells whose whole value matches. */
  | { value_regex: Bytes }
  /** Columns of one family between two qualifiers. */
  | { column_range: ColumnRange }
  /** Cells with a timestamp in `[start, end)`, in whole milliseconds. */
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

/** A row key of 1 to 4,096 bytes. Rows are sorted by it. */
export type RowKey = Bytes;

/** Row keys between two bounds, in byte order. */
export interface RowRange {
  /** The lower bound. */
  start: Bound<RowKey>;
  /** The upper bound. */
  end: Bound<RowKey>;
}

/** What helps against a row that takes a large share of the writes. */
export type RowRemedy =
  /** A field that distinguishes its events. */
  | "add_field"
  /** Such a field, or the layout narrow. */
  | "add_field_or_narrow";

/** How the rows of an access pattern are found, from the best to the worst. */
export type RowsFound =
  /** In this many ranges or rows, without others. */
  | { ranges: number }
  /** In this many ranges that have other rows, too. */
  | { ranges_with_others: number }
  /** By a scan of the whole table. */
  | "scan"
  /** Not at all: the design does not keep what the pattern needs. */
  | "impossible";

/** A tablet's part of an SSTable. */
export interface RunView {
  /** The file. */
  file: bigint;
  /**
   * Newer SSTables of a table have higher numbers. A merged SSTable has the number of its newest
   * input.
   */
  sequence: bigint;
  /** The families of its locality group; empty if the table has one group. */
  families: string[];
  /**
   * The number of newer SSTables of its group that overlap it: 0 if no newer SSTable spans any
   * of its rows.
   */
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
  /** The blocks. Tablets that were split may have parts of one block. */
  blocks: number;
  /** Deletions in the file; `null` if the file does not record them. */
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

/** A salt is too small, uneven or harmful. */
export type SaltCause =
  /** Too few salts before a key that grows. */
  | {
      few_for_rising: {
        /** The salts. */
        salts: number;
      };
    }
  /** Too few salts before a key that grows in a few ranges. */
  | {
      few_for_ranges: {
        /** The salts. */
        salts: number;
        /** The ranges. */
        ranges: number;
        /** The fields whose values begin them. */
        fields: string[];
      };
    }
  /** The fields that the salt is made of make it uneven. */
  | {
      uneven_fields: {
        /** The fields of these values. */
        fields: string[];
        /** How the salts are used. */
        spread: SaltSpread;
      };
    }
  /** A row with many events makes the salt uneven. */
  | {
      uneven_rows: {
        /** The share of events of that row. */
        row_share: number;
        /** How the salts are used. */
        spread: SaltSpread;
      };
    }
  /** The keys spread without the salt, which only multiplies the ranges of reads. */
  | {
      without_effect: {
        /** The salts. */
        salts: number;
        /** The share of the writes of the hottest tablet without the salt. */
        without: number;
        /** That share with the salt. */
        with: number;
      };
    }
  /** The salt scatters the areas of a Z-order, whose keys spread without it. */
  | {
      scattered_area: {
        /** The salts. */
        salts: number;
      };
    }
  /** No event is before the cut-over. */
  | {
      all_after_cut_over: {
        /** The salts. */
        salts: number;
        /** The cut-over, as the template writes it. */
        from: string;
        /** Events of the sample. */
        events: number;
      };
    }
  /** All events are before the cut-over. */
  | {
      none_after_cut_over: {
        /** The salts. */
        salts: number;
        /** The cut-over, as the template writes it. */
        from: string;
        /** Events of the sample. */
        events: number;
      };
    };

/** How an uneven salt is used. */
export interface SaltSpread {
  /** Salts that are used. */
  used: number;
  /** The number of all salts. */
  salts: number;
  /** The share of events of the salt that is used most. */
  largest_share: number;
}

/** A sample set that is shipped with the page. */
export interface SampleInfo {
  /** The name in a workspace. */
  name: string;
  /** The displayed title. */
  title: string;
  /** A description in one sentence. */
  about: string;
  /** Number of events. */
  events: number;
  /** Number of bytes to fetch. */
  bytes: number;
  /** Licence and origin. */
  licence: string;
  /** A template to begin with. */
  template: string;
}

/** Options of `sample`. */
export interface SampleOptions {
  /** The template of the first design. Defaults to the template of the sample. */
  template?: string | null;
  /** The layout of the first design. By default it is not changed. */
  layout?: Layout | null;
}

/** The rate of a stream over time, as a factor. Seconds count from the beginning of the traffic. */
export type Schedule =
  /** Always 1. */
  | "constant"
  /** From 1 to `factor` in a straight line, then `factor`. */
  | {
      ramp: {
        /** 0 to 1,000. */
        factor: number;
        /** The beginning of the line. */
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
        /** How long it lasts. */
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

/** A stored set of the user's own events. */
export interface SetView {
  /** The number of the set. */
  set: number;
  /** The name of the events and how they were read, as a source that can be opened. */
  own: OwnData;
  /** Number of durably stored events. */
  events: number;
  /** Approximate number of bytes that they take in the storage. */
  bytes: bigint;
  /** The state of the load: `Interrupted` if it was not completed, `Loading` if it continues. */
  state: LoadState;
  /** The damage, if any. Events that can still be read can be exported. */
  trouble: ErrorValue | null;
  /** Whether its events are the ones on the screen. */
  shown: boolean;
  /**
   * Whether this set is opened by a workspace that names its data. It is not if there is a
   * better set with the same name.
   */
  opens: boolean;
}

/** The parts of a simulation that the page does not have yet. */
export interface SimulationChunk {
  /** Number of seconds that have been simulated. */
  seconds: number;
  /** Number of seconds in total. */
  seconds_total: number;
  /** One in this many requests was executed; the others are assumed to cost the same. */
  executed_every: number;
  /**
   * Names of the streams, in the order of `SimulationSecond::streams`: the streams of the
   * traffic, then the load test, if there is one.
   */
  streams: string[];
  /**
   * The second with which `history` begins: the one that the page has requested, or the first
   * second of the last hour, if that is later.
   */
  history_from: number;
  /** The seconds of the history from there on. */
  history: SimulationSecond[];
  /** The cluster events since then. */
  cluster_events: ClusterEvent[];
  /** The moves of tablets since then. */
  places: TabletPlaced[];
  /**
   * What was measured and diagnosed at some moments since then. There are about a hundred in a
   * whole simulation.
   */
  moments: SimulationMoment[];
  /** The heatmap. */
  heat: HeatColumns;
  /** Figures of all seconds so far, for all streams together and for each stream. */
  totals: StreamTotals[];
  /** The problems, the most serious first. */
  diagnoses: Diagnosis[];
  /** The error of the first request that was refused. */
  refusal: ErrorValue | null;
  /**
   * What the keys of a log are on this design; `null` without a log, or if the form of its keys is
   * not stated.
   */
  log: LogKeys | null;
}

/** What a simulation had measured at a moment, and what its last seconds had shown. */
export interface SimulationMoment {
  /** Number of seconds that had been simulated. */
  second: number;
  /** Figures of all these seconds, for all streams together and for each stream. */
  totals: StreamTotals[];
  /** The problems in the last twenty of these seconds, the most serious first. */
  diagnoses: Diagnosis[];
}

/** A second of a simulation. */
export interface SimulationSecond {
  /** The nodes that were up, in the order of their letters. */
  nodes: NodeSecond[];
  /** All requests of the second. */
  all: StreamSecond;
  /** The requests of each stream. */
  streams: StreamSecond[];
  /**
   * The hottest tablet of the design's own table, by its number in `TabletPlaced`, and its
   * share of all work, 0 to 1.
   */
  hottest: [number, number] | null;
  /**
   * The CPU load of the tablet of any table that was asked for most, in cores. A node has fewer,
   * if no number of nodes is enough.
   */
  tablet_cores: number;
}

/** The source of events. */
export type Source =
  /** Generated from a seed. */
  | { generated: GeneratorSettings }
  /** A sample that is shipped with the page, by its name. */
  | { sample: string }
  /** The user's own events. Their bytes never leave the user's machine. */
  | { own: OwnData };

/** Bytes `[start, end)` of a text. */
export interface Span {
  /** The start as a byte offset, inclusive. */
  start: number;
  /** The end as a byte offset, exclusive. */
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
  /** Whether this tab stores events, and if not, why. */
  keeping: Persistence;
  /** The sets, in the order of their loads. */
  sets: SetView[];
}

/** Scores of events and of facets. Events and facets that it does not name do not count. */
export interface Strategy {
  /** The events that count, each type and name once. */
  events: EventScore[];
  /** The facets that count, each name once. */
  facets: FacetScore[];
  /** The number of days before the time of the profile, 1 to 3,660. Older events do not count. */
  window_days: number;
}

/** A stream of requests of one kind. */
export interface Stream {
  /** Unique in its traffic, and not empty. */
  name: string;
  /** What each request does. */
  what: StreamKind;
  /**
   * The mean number of requests per second, at most 1,000,000, while the factor of the schedule
   * is 1. The times between requests are random, as with many independent clients (a Poisson
   * process).
   */
  per_second: number;
  /** The events that the requests are for. */
  keys: KeyChoice;
  /** How the rate changes over time. */
  when: Schedule;
}

/** What each request of a stream does with the event that was chosen for it. */
export type StreamKind =
  /**
   * Writes a new event. It has the values of the chosen event, but each field that follows the clock
   * is that of its moment: its time, other times near it, dates, times of day, counters and
   * identifiers that rise with the time. The clock runs one second per second.
   */
  | "write_events"
  /** Rewrites the chosen event, into the row that it already has. */
  | "updates"
  /** Reads the row of the event. */
  | "point_reads"
  /** Reads a number of rows, beginning with the row of the event. */
  | {
      scans: {
        /** The number of rows, 1 to 1,000,000. */
        rows: number;
      };
    }
  /** Runs the access pattern with this name, with the values of the event in its fields. */
  | { pattern: string }
  /** Reads the row of the event and writes it. */
  | "read_modify_write"
  /** Deletes the row of the event. */
  | "deletes"
  /**
   * Replays requests of a trace at their own times, for their own row keys. The rate is only
   * informational, and events and schedule are ignored.
   */
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
  /**
   * The latencies of this second's answers in microseconds: 50th, 95th and 99th percentile, and
   * maximum; 0 without answers.
   */
  latency_micros: number[];
}

/** Figures of a stream over a simulation. */
export interface StreamTotals {
  /** The name; empty for all streams together, which are the first entry. */
  name: string;
  /** Requests that arrived. */
  arrived: bigint;
  /** Requests that were answered. */
  answered: bigint;
  /** Requests whose deadline passed. */
  expired: bigint;
  /** Requests that were refused. */
  refused: bigint;
  /**
   * The latencies in microseconds: 50th, 95th and 99th percentile, and maximum; 0 without
   * answers.
   */
  latency_micros: bigint[];
}

/**
 * A problem that the traffic shows, as figures. Shares are 0 to 1; rates are per second, over the
 * last seconds.
 */
export type Symptom =
  /** One row has a large share of the requests. */
  | {
      hot_row: {
        /** The row; `null` if none of the loaded events has it. */
        row: RowKey | null;
        /** The share of the requests. */
        share: number;
        /** The requests per second. */
        per_second: number;
        /** The share of these requests that are writes. */
        writes: number;
        /** The CPU time that it needs, as a share of a node. */
        node_share: number;
      };
    }
  /** Most writes of a second go to a few places. */
  | {
      sequential_writes: {
        /** The mean number of places. */
        places: number;
        /** The share of the writes that go to these places. */
        share: number;
        /** Writes per second. */
        per_second: number;
      };
    }
  /** A few neighbouring keys have a large share of the requests. */
  | {
      hot_prefix: {
        /** The first key. */
        start: RowKey;
        /** The first key after them; empty for the end of the table. */
        end: RowKey;
        /** The share of the requests. */
        share: number;
        /** The share of the rows. */
        rows: number;
      };
    }
  /**
   * Most writes under some neighbouring keys follow each other in key order, so splits do not
   * divide them.
   */
  | {
      sequential_prefix: {
        /** The first key. */
        start: RowKey;
        /** The first key after them; empty for the end of the table. */
        end: RowKey;
        /** The share of all writes. */
        share: number;
        /** Their writes per second. */
        per_second: number;
      };
    }
  /**
   * A row is read nearly as often as a node can serve: the CPU time that it needs, as a share of
   * a node.
   */
  | { read_pressure: number }
  /**
   * A row is written nearly as often as a node can serve: the CPU time that it needs, as a share
   * of a node.
   */
  | { write_pressure: number }
  /** A row has this many bytes. */
  | { large_rows: bigint }
  /** The load comes in waves. */
  | {
      periodic_load: {
        /** Seconds from peak to peak. */
        seconds: number;
        /** Requests per second at the peaks. */
        most: number;
        /** Requests per second between the peaks. */
        least: number;
        /**
         * The CPU time that the busiest tablet needs at the peaks, as a share of a node; 0 without a
         * cluster.
         */
        tablet: number;
        /** The numbers of nodes; `null` without a cluster. */
        nodes: WaveNodes | null;
      };
    }
  /** All nodes are busy. */
  | {
      too_few_nodes: {
        /** Number of nodes. */
        nodes: number;
        /** The mean share of their cores that was busy. */
        cpu: number;
        /**
         * The minimum number of nodes with which nodes use at most the target share of their
         * cores.
         */
        needed: number;
        /** The target share. */
        cpu_target: number;
        /** The CPU time that the busiest tablet needs, as a share of a node. */
        tablet: number;
        /** Number of requests that were waiting at the end of the last second. */
        waiting: bigint;
      };
    }
  /** Some nodes cannot keep up, and others are idle. */
  | {
      unbalanced: {
        /** The letter of the busiest node. */
        busiest: string;
        /** The share of its cores that was busy. */
        cpu_most: number;
        /** The letter of the idlest node. */
        idlest: string;
        /** The share of its cores that was busy. */
        cpu_least: number;
        /** Requests per second whose deadline passed. */
        expired: number;
        /** Number of requests that were waiting at the end of the last second. */
        waiting: bigint;
        /** Whether tablets have moved, or nodes have been added, in the last minute. */
        is_moving: boolean;
        /** The number of nodes that the traffic needs, if there are too few of them. */
        needed: number | null;
        /** The CPU time that the busiest tablet needs, as a share of a node. */
        tablet: number;
      };
    }
  /** A node has failed. */
  | {
      failed_node: {
        /** The letter of the node. */
        node: string;
        /** Number of seconds since the failure. */
        seconds_ago: number;
        /** Maximum number of requests that were waiting at the end of any second since then. */
        waiting: bigint;
        /** Number of requests that have expired since then. */
        expired: bigint;
      };
    };

/** One table at one moment. */
export interface TableView {
  /** The tablets, in key order. Together they cover every key. */
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
  /**
   * Bytes of keys, columns, timestamps (8 each) and values that reads returned since the table
   * was opened.
   */
  bytes_returned: bigint;
  /** SSTable blocks that reads found in the cache since the table was opened. */
  cache_hits: bigint;
  /** SSTables that a Bloom filter ruled out since the table was opened. */
  bloom_skips: bigint;
  /** The work of the table's writes. */
  work: TableWork;
  /** The reason why the table cannot be written to, or `null` if it can. */
  read_only: ErrorValue | null;
  /**
   * The error of the last call that could not do all background work, or the damage that
   * prevents a tablet from being compacted; `null` if there is none.
   */
  work_error: ErrorValue | null;
}

/**
 * The bytes that a table has written and read since it was created, by purpose. For a table that
 * survives the process, counts since the last change of its files may be lost in a crash.
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
  /** Bytes of compaction that these writes waited for. */
  slowed_bytes: bigint;
}

/** The number of a tablet. It is not reused after the tablet is split or merged. */
export type TabletId = bigint;

/** The parts of one tablet at one moment. */
export interface TabletInside {
  /** The tablet. */
  tablet: TabletId;
  /**
   * The memtable that takes writes, followed by the one that waits to be written, if there is
   * one.
   */
  memtables: MemtableView[];
  /** The size in bytes above which a memtable is written as SSTables. */
  memtable_bytes_max: bigint;
  /** The tablet's parts of SSTables, newest first. */
  runs: RunView[];
  /** The number of SSTables that may overlap before they are merged. */
  sstables_max: number;
  /** The compaction in progress in the tablet. */
  compaction: CompactionView | null;
  /** Whether a compaction was requested and has not finished. */
  compaction_is_due: boolean;
  /** Ranges whose SSTables cannot be read, by their first keys, with the damage. */
  damaged: [RowKey, ErrorValue][];
}

/**
 * A tablet of the design's own table has appeared, has moved, or no longer exists. The tablets at
 * a moment are given by the last entry for each number up to that moment.
 */
export interface TabletPlaced {
  /** The second at whose end this was observed. */
  second: number;
  /** The number of the tablet in this simulation. */
  tablet: number;
  /** The first key. */
  start: RowKey;
  /** The number of the node; `null` if the tablet no longer exists. */
  node: number | null;
}

/** Rows `[start, end)` of one table, served by one node: the unit of splitting and balancing. */
export interface TabletView {
  /** The tablet's identity. */
  id: TabletId;
  /** The tablet it was split from, if it was. */
  parent: TabletId | null;
  /** The first key; empty for the beginning of the table. */
  start: RowKey;
  /** The first key after it; empty for the end of the table. */
  end: RowKey;
  /**
   * Rows stored. For rows in SSTables, the locality group with the most rows counts, because a
   * row may be in several.
   */
  rows: bigint;
  /** Cells stored. */
  cells: bigint;
  /**
   * Whether rows and cells are counted exactly: no row is in several sources, where it would
   * count several times, and none can be in several locality groups. (Cells that deletes hide
   * count until a major compaction.)
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

/** The encoding of a text. */
export type TextEncoding =
  /**
   * UTF-8 or UTF-16 if the bytes are valid, otherwise the likeliest encoding of the first bytes
   * that are not UTF-8.
   */
  | "detect"
  /** UTF-8. */
  | "utf8"
  /** Windows-1252: Western European, which includes ISO 8859-1. */
  | "windows1252"
  /** UTF-16, the low byte first. */
  | "utf16_le"
  /** UTF-16, the high byte first. */
  | "utf16_be"
  /** Windows-1250: Central European. */
  | "windows1250"
  /** Windows-1251: Cyrillic. */
  | "windows1251"
  /** Windows-1253: Greek. */
  | "windows1253"
  /** Windows-1254: Turkish. */
  | "windows1254"
  /** ISO 8859-2: Central European. */
  | "iso8859_2"
  /** ISO 8859-15: Western European with the euro sign. */
  | "iso8859_15"
  /** Mac OS Roman. */
  | "macintosh"
  /** KOI8-R: Russian. */
  | "koi8_r"
  /** Shift JIS: Japanese. */
  | "shift_jis"
  /** EUC-JP: Japanese. */
  | "euc_jp"
  /** GB 18030, which includes GBK: simplified Chinese. */
  | "gb18030"
  /** Big5: traditional Chinese. */
  | "big5"
  /** EUC-KR: Korean. */
  | "euc_kr";

/** The form of a time that cannot become a timestamp. */
export type TimeForm =
  /** A hash. */
  | "hash"
  /** Text with reversed characters. */
  | "reversed"
  /** A bucket. */
  | "bucket"
  /** A span, such as a day. */
  | "span";

/** What helps against a leading time. */
export type TimeRemedy =
  /** Only a salt. */
  | "salt"
  /** The key has the exact time after it, so it can be left out. */
  | "leave_out"
  /** Another field before it. */
  | "start_with_another";

/**
 * The time zone of times that are written without one: a fixed offset from UTC, or a place, whose
 * offset changes with the season. Places have their present rules at all times.
 */
export type TimeZone = string;

/** Microseconds since 1970-01-01 UTC. */
export type Timestamp = bigint;

/** Times `[start, end)` in microseconds; an end of 0 means no end. */
export interface TimestampRange {
  /** The start, inclusive. */
  start: Timestamp;
  /** The end, exclusive; 0 for no end. */
  end: Timestamp;
}

/** The tone of a verdict. */
export type Tone =
  /** Nothing to judge yet. */
  | "plain"
  /** The design spreads its writes, and no warning contradicts that. */
  | "good"
  /**
   * The writes are spread now, but a warning names a reason why that may change, or why rows are
   * lost.
   */
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
  /** The number in the file. */
  block: number;
  /** The size of the block in bytes. */
  bytes: number;
  /** Whether it was in the cache when the read began. */
  from_cache: boolean;
}

/** What a read touches of an SSTable. A single row, or a range of rows, counts as one search. */
export interface TouchedRun {
  /** The file. */
  file: bigint;
  /** Searches that may find rows in it. */
  searches: bigint;
  /** Searches that its Bloom filter has ended: the row is not there. */
  bloom_skips: bigint;
  /** Searches for keys that are outside of its key range. */
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
  /** The SSTables, by file. */
  runs: TouchedRun[];
}

/** The streams of requests, which run at the same time. */
export interface Traffic {
  /** The streams, at most 64. */
  streams: Stream[];
  /** Determines the random numbers: the same seed gives the same requests at the same times. */
  seed: bigint;
  /** Limits of the traffic's cost on each design. */
  limits: TrafficLimits;
  /** How the traffic is simulated. */
  run: TrafficRun;
}

/** Limits of a traffic on a design. A limit that is `null` does not apply. */
export interface TrafficLimits {
  /** The maximum 99th percentile of the latency, in microseconds. */
  latency_micros_p99_max?: bigint | null;
  /** The maximum number of requests that expire. */
  requests_expired_max?: bigint | null;
  /** The maximum share of its cores that any node uses on average, 0 to 1. */
  cpu_hottest_node_max?: number | null;
  /** The maximum share of the work that the hottest tablet has on average, 0 to 1. */
  hottest_tablet_share_max?: number | null;
}

/** The cluster that serves a traffic, and for how long. */
export interface TrafficRun {
  /** Number of nodes at the beginning, 1 to 100. */
  nodes: number;
  /** Length of the run in seconds of virtual time, 1 to 86,400. */
  seconds: number;
  /** The storage of the cluster. */
  storage: StorageMedium;
  /**
   * The share of the blocks that reads find in a node's cache, 0 to 1. With 0, a node does what
   * Google publishes for reads.
   */
  cache_hit_ratio: number;
  /** Whether the number of nodes follows the load. */
  autoscale: AutoscaleRange | null;
  /** Random reads of all rows, before an expected peak. */
  load_test: LoadTest | null;
  /**
   * The number of tablets into which the table is split in advance, 0 to 4,096, as far as its
   * rows allow it. This is like a table that is created with initial splits.
   */
  tablets_min: number;
  /** The thresholds at which nodes are added and tablets move. */
  thresholds: ClusterThresholds;
  /** What the user changes in the cluster, and what fails, ordered by time. */
  changes: ClusterChange[];
}

/** Values that sort as bytes in another order than by what they mean. */
export type Unsorted =
  /** Whole numbers of this field. */
  | { integers: string }
  /** Times of this field. */
  | { times: string }
  /** Numbers with a fraction of this field. */
  | { numbers: string }
  /** The two numbers of a position. */
  | {
      coordinates: {
        /** The field of the first number. */
        x: string;
        /** The field of the second number. */
        y: string;
      };
    };

/** Values do not suit their place in the key. */
export type ValueCause =
  /** Values of a field are not of its kind. */
  | {
      other_kind: {
        /** The field. */
        field: string;
        /** The kind of the field. */
        kind: FieldKind;
        /** The number of these values. */
        count: number;
        /** Events of the sample. */
        events: number;
        /** One of these values. */
        example: string;
      };
    }
  /** Nothing separates two parts, and the values of the first differ in length. */
  | {
      unseparated: {
        /** The fields of the first part. */
        fields: string[];
        /** The fields of the part after it. */
        next: string[];
        /** Two values with different lengths. */
        lengths: string[];
      };
    }
  /** Values contain the separator after them. */
  | {
      separator_inside: {
        /** The fields of the part. */
        fields: string[];
        /** The separator. */
        separator: string;
        /** The number of these values. */
        count: number;
        /** Events of the sample. */
        events: number;
        /** One of these values. */
        example: string;
      };
    }
  /** Values sort as bytes in another order than by what they mean. */
  | {
      out_of_order: {
        /** The values. */
        of: Unsorted;
        /** The value that sorts first. */
        first: string;
        /** The value after it, which is less. */
        second: string;
      };
    }
  /** A time has reversed characters. */
  | {
      reversed_time: {
        /** The field. */
        time: string;
        /** A value. */
        example: string;
        /** What the key has of it. */
        reversed: string;
      };
    };

/** Values between two bounds, in byte order. */
export interface ValueRange {
  /** The lower bound. */
  start: Bound<Bytes>;
  /** The upper bound. */
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
  /**
   * The share of all writes that each tablet would take if the tablets that take writes, at most as
   * many as can at one time, took the same, 0 to 1.
   */
  fair_share: number;
  /**
   * The writes per second at which the table of a hot design saturates, however many nodes there
   * are: what one node takes, by the share that one tablet gets of the live writes.
   */
  saturates_at: number | null;
  /** The message of the warning that explains the finding, if there is one. */
  advice: string | null;
  /** The first fix of it. */
  fix: Fix | null;
}

/** A problem of a template that the loaded events show. */
export interface Warning {
  /** The rule. */
  kind: WarningKind;
  /** The problem and its remedy. */
  message: string;
  /** The evidence in the loaded events. */
  evidence: string;
  /** The problem, its remedy and the evidence in the loaded events. */
  cause: Cause;
  /** Index of the part that it is about, if any. */
  part: number | null;
  /** Changes that remove it, the best first; empty if only the user can decide. */
  fixes: Fix[];
}

/** The rules of advice. */
export type WarningKind =
  /** New keys are adjacent: every write goes to one tablet. */
  | "monotonic_first_field"
  /**
   * Few different keys, or few ranges that take the writes of a moment: few tablets can share
   * the load.
   */
  | "low_cardinality_prefix"
  /** Some salts are never used, or one takes far more than its share. */
  | "uneven_salt"
  /** The salts are few: few tablets can share the load. */
  | "few_salts"
  /** One row takes a large part of the writes, and a row cannot be split. */
  | "large_row"
  /** A salt before a Z-order: neighbours are in different ranges. */
  | "scattered_area"
  /** A salt before keys that spread without it: each read needs a range per salt for nothing. */
  | "salt_without_effect"
  /** The key is an identifier of single events: no range of events can be read. */
  | "only_point_reads"
  /** All events are on one side of a salt's cut-over. */
  | "cut_over_without_effect"
  /** A time with reversed characters, which does not sort in a useful order. */
  | "reversed_time"
  /** `10` sorts before `9`. */
  | "unpadded_number"
  /** A value contains the literal that follows it: keys become ambiguous and ranges too wide. */
  | "separator_inside_value"
  /** Keys over 4 KiB are refused; keys over a few hundred bytes are expensive. */
  | "key_too_long"
  /** Events lack a value that the key needs: they are refused. */
  | "absent_value"
  /** Two events share a key: the later one overwrites or joins the earlier one. */
  | "shared_key"
  /** A row per entity in which each row holds one event. */
  | "layout_without_effect"
  /**
   * The values that name families are too many, or contain characters that a family name cannot
   * have.
   */
  | "family_names"
  /** Values of a field do not parse as its kind and count as text. */
  | "other_kind";

/**
 * The numbers of nodes that a load in waves needs: the minimum number with which nodes use at most
 * the target share of their cores.
 */
export interface WaveNodes {
  /** Number of nodes now. */
  now: number;
  /** The number between the peaks. */
  least: number;
  /** The number at the peaks. */
  most: number;
}

/**
 * Everything that a share link, a saved file and the undo history contain. The events themselves
 * are not included: a source describes how to get them again.
 */
export interface Workspace {
  /** The `WORKSPACE_VERSION` of the build that has written it. */
  version: number;
  /** The name that the user has chosen. */
  name: string;
  /** The source of the events. */
  source: Source;
  /** The designs, at least one. Each has its own table. */
  designs: Design[];
  /** The thresholds and the pace of the simulated instance. */
  cluster: ClusterSettings;
  /** The query on the screen. */
  query: Query;
  /** Access patterns: the queries that run again and again, and for which the designs are made. */
  queries: NamedQuery[];
  /** The limits of each design. */
  limits: DesignLimits;
  /** The user's own rates and prices, once there are any. */
  rates: Rates | null;
  /** The traffic on the designs, once there is any. */
  traffic: Traffic | null;
  /** The strategy from which the profiles of users are computed, once there is one. */
  strategy: Strategy | null;
  /**
   * The number of events that have arrived when the workspace is opened. A number beyond the
   * last event means all. Without it, all events of a file or a sample have arrived, and
   * generated events begin with a first part. The command line always builds all events.
   */
  arrived: number | null;
  /**
   * The example that this workspace is, even after edits. Another name or other events remove
   * it.
   */
  example: ExampleId | null;
  /**
   * The roles that the user has given to fields. The other fields have the roles that their
   * values show.
   */
  roles: GivenRole[];
}

/** The counts of a table that has all events and is compacted. */
export interface WriteCounts {
  /** Events that were written. */
  events: bigint;
  /** Cells that were written. */
  cells: bigint;
  /** Rows that the table has. */
  rows_stored: bigint;
  /** Cells that the table has. */
  cells_stored: bigint;
}

/** An access pattern whose answer differs from a plain filter over all loaded events. */
export interface WrongAnswer {
  /** The name of the pattern. */
  pattern: string;
  /** The fields and their values for which it was read; none for all events. */
  values: [string, string][];
  /** The events that a plain filter returns. */
  events: number;
  /** The number of these that the design does not return. */
  missing: number;
  /** The number of other events that it returns. */
  others: number;
  /** Whether a GC rule has collected the missing events. */
  is_collected: boolean;
}

declare global {
  interface Window {
    /** Tabletop in this page. Wait for `tabletop.ready` before the first call. */
    readonly tabletop: Tabletop;
  }
  const tabletop: Tabletop;
}
