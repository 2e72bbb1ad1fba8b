//! `www/tabletop.d.ts` is generated from the Rust sources of the API: its methods, and every type
//! that they name. After a change, `UPDATE=1 cargo xtask test native types` writes it.

mod print;
mod source;

use expect_test::{expect, expect_file};
use source::Source;

#[test]
fn the_types_of_the_javascript_api_are_up_to_date() {
    let source = Source::read(&[
        "crates/client/src",
        "crates/protocol/src",
        "crates/advice/src",
        "crates/workspace/src",
        "crates/objects/src",
        "crates/keys/src",
        "crates/model/src",
    ]);
    expect_file!["../../../www/tabletop.d.ts"].assert_eq(&print::declarations(&source));
}

#[test]
fn rust_types_become_the_types_that_scripts_get() {
    let source = Source::parse(
        r#"
        /// The API.
        #[wasm_bindgen]
        pub struct Tabletop;
        #[wasm_bindgen]
        impl Tabletop {
            /// All of it.
            #[wasm_bindgen(getter)]
            pub fn version(&self) -> String {}
            /// Sentences are next to data, or in place of them.
            pub async fn judge(&self) -> Judged {}
            /// Requests [`Shape`].
            #[wasm_bindgen(unchecked_return_type = "Shape[]")]
            pub async fn ask(
                &self,
                index: u32,
                #[wasm_bindgen(unchecked_param_type = "Options | undefined")] options: Option<Object>,
            ) -> JsResult {}
        }
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum Shape { RowOnly, Quantiles([u64; 4]), Named(TabletId), Digits(Digest), Pair(u32, String), Both { left: Vec<u8>, right: Option<Box<Shape>> } }
        #[derive(Serialize)]
        struct TabletId(pub u64);
        #[derive(Serialize)]
        #[serde(try_from = "String", into = "String")]
        struct Digest(u64);
        #[derive(Deserialize)]
        #[serde(default)]
        struct Options {
            /// The number.
            count: Option<u32>,
        }
        #[derive(Serialize)]
        struct Judged { advice: Shape, parts: Vec<Named> }
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum Named { One { number: u32 }, Two }
        #[derive(Serialize)]
        struct JudgedTexts { message: String, advice: Option<String>, parts: Vec<NamedTexts> }
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum NamedTexts { One { label: String } }
        #[derive(Serialize)]
        struct Unused { nothing: bool }
        "#,
    );
    expect![[r#"
        /** The API. */
        export interface Tabletop {
          /** All of it. */
          readonly version: string;

          /** Sentences are next to data, or in place of them. */
          judge(): Promise<Judged>;

          /** Requests `Shape`. */
          ask(index: number, options?: Options): Promise<Shape[]>;
        }

        export type Digest = string;

        export interface Judged {
          message: string;
          advice: string | null;
          parts: Named[];
        }

        export type Named =
          | {
              one: {
                label: string;
                number: number;
              };
            }
          | "two";

        export interface Options {
          /** The number. */
          count?: number | null;
        }

        export type Shape =
          | "row_only"
          | { quantiles: bigint[] }
          | { named: TabletId }
          | { digits: Digest }
          | { pair: [number, string] }
          | {
              both: {
                left: number[];
                right: Shape | null;
              };
            };

        export type TabletId = bigint;
    "#]]
    .assert_eq(&print::types(&source));
}
