//! Plans queries for rectangles over two numbers, if the key has a Z-order of these numbers: ranges
//! of the Z-order down to a depth, and two patterns that exclude points in these ranges that are
//! outside of the rectangle.
//!
//! The plane is divided into four quarters, each of these into four again, and so on. A quarter is
//! one range of the curve. The ranges of a rectangle are the quarters inside it, and at the last
//! depth also those that its border cuts. Each pair of bits in the number has one bit of each axis,
//! so a pattern of the number's digits can test one axis independently of the other.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Code, Error, Result, RowKey, RowRange, RowSet, did_you_mean};

use super::fields::{BytesCondition, PartCondition, filter_of_part, ranges};
use super::plan::Plan;
use super::{AxisSpan, RowChoice};
use crate::Layout;
use crate::template::{Part, Template, TextRange};
use crate::zorder::{FirstBit, ZOrder, ZOutput, interleave, steps};

/// The maximum number of ranges of a rectangle without a depth, under all salts.
const RANGES_MAX: usize = 64;
/// The maximum number of ranges of a rectangle with a depth. A read of more ranges is slower than a
/// scan.
const RANGES_OF_DEPTH_MAX: usize = 2_000;
/// The maximum number of quarters that are examined per range. Many quarters along a border may
/// join to a few ranges.
const QUARTERS_PER_RANGE: usize = 32;

/// The maximum depth of a Z-order.
pub const DEPTH_MAX: u8 = 32;

/// Plans the rectangle `x` × `y`.
///
/// # Errors
/// `InvalidArgument` for an unknown field or a depth with too many ranges; `FailedPrecondition` if
/// the key does not have a Z-order of both fields, or if the Z-order is written in decimal digits,
/// which patterns cannot test.
pub(super) fn plan(template: &Template, x: &AxisSpan, y: &AxisSpan, depth: Option<u8>) -> Result<Plan> {
    let (at, zorder, x, y) = find(template, x, y)?;
    let (Some(x), Some(y)) =
        (steps(x.from, x.to, &zorder.x, zorder.bits), steps(y.from, y.to, &zorder.y, zorder.bits))
    else {
        return Ok(Plan::of(Vec::new()));
    };
    let grid = Grid { x, y, bits: zorder.bits, first: zorder.first };
    let quarters = grid.quarters(depth, template.scan_reads())?;
    let condition = |part: &Part| match part {
        Part::Literal(text) => (BytesCondition::One(text.as_bytes().to_vec()), false),
        _ => (BytesCondition::Open, false),
    };
    let mut conditions: Vec<PartCondition> = template.parts().iter().map(condition).collect();
    let text_range = |(low, high): &(u64, u64)| -> TextRange {
        let text = |number| {
            let mut out = Vec::new();
            zorder.write_number(number, &mut out);
            out
        };
        (Some(text(*low)), Bound::Included(text(*high)))
    };
    conditions[at].0 = BytesCondition::In(quarters.ranges.iter().map(text_range).collect());
    // A box does not restrict times.
    let side = template.side_of_times(None, None);
    let found = ranges(template, &conditions, side);
    let mut plan = found.plan;
    if !quarters.exact || at >= found.stop {
        for pattern in grid.patterns(zorder)? {
            plan.cells.push(filter_of_part(template, side, at, &pattern));
        }
    }
    plan.scans_more = !plan.cells.is_empty();
    Ok(plan)
}

/// The cost of a rectangle at each depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxDepths {
    /// Number of rows with points in the rectangle.
    pub returned: u64,
    /// The depths in ascending order. The last one is the first depth that does not read other
    /// rows, or the last depth that does not exceed the maximum number of ranges.
    pub depths: Vec<BoxDepth>,
}

/// The cost of a rectangle at one depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxDepth {
    /// How often the plane is divided.
    pub depth: u8,
    /// Number of row ranges, under all salts.
    pub ranges: u32,
    /// Number of rows in these ranges.
    pub seen: u64,
}

/// Counts the cost of a rectangle at each depth, in a table with these row keys. `keys` must be
/// sorted.
///
/// # Errors
/// The errors of [`Template::plan`], and `InvalidArgument` if `choice` is not a box.
pub fn box_depths(
    template: &Template,
    layout: &Layout,
    choice: &RowChoice,
    keys: &[RowKey],
) -> Result<BoxDepths> {
    let RowChoice::Box { x, y, .. } = choice else {
        return Err(Error::invalid("Only a query for a box has depths."));
    };
    let stored = template.stored(layout);
    let (at, zorder, x, y) = find(&stored, x, y)?;
    let spans = (steps(x.from, x.to, &zorder.x, zorder.bits), steps(y.from, y.to, &zorder.y, zorder.bits));
    let (Some(in_x), Some(in_y)) = spans else {
        return Ok(BoxDepths { returned: 0, depths: Vec::new() });
    };
    let is_in = |key: &&RowKey| {
        let step = stored.bytes_of(at, key).and_then(|bytes| zorder.read_steps(bytes));
        step.is_some_and(|(x, y)| (in_x.0..=in_x.1).contains(&x) && (in_y.0..=in_y.1).contains(&y))
    };
    let returned = keys.iter().filter(is_in).count() as u64;
    let seen = |range: &RowRange| {
        let before = |bound: &Bound<RowKey>, inclusive: bool| match bound {
            Bound::Unbounded => None,
            Bound::Included(at) => {
                Some(keys.partition_point(|key| if inclusive { key <= at } else { key < at }))
            }
            Bound::Excluded(at) => {
                Some(keys.partition_point(|key| if inclusive { key < at } else { key <= at }))
            }
        };
        let (start, end) =
            (before(&range.start, false).unwrap_or(0), before(&range.end, true).unwrap_or(keys.len()));
        end.saturating_sub(start) as u64
    };
    let mut depths = Vec::new();
    for depth in 0..=zorder.bits {
        let plan =
            match template.plan(&RowChoice::Box { x: x.clone(), y: y.clone(), depth: Some(depth) }, layout) {
                Ok(plan) => plan,
                Err(error) if depth == 0 => return Err(error),
                Err(_) => break,
            };
        let rows = |part: &RowSet| {
            if part.is_all() { keys.len() as u64 } else { part.ranges.iter().map(seen).sum() }
        };
        depths.push(BoxDepth { depth, ranges: plan.ranges(), seen: plan.parts.iter().map(rows).sum() });
        if !plan.scans_more {
            break;
        }
    }
    Ok(BoxDepths { returned, depths })
}

/// Finds the Z-order of two fields. Returns the index of its part, the Z-order, and the spans of
/// its axes.
fn find<'s>(
    template: &'s Template,
    x: &'s AxisSpan,
    y: &'s AxisSpan,
) -> Result<(usize, &'s ZOrder, &'s AxisSpan, &'s AxisSpan)> {
    for axis in [x, y] {
        if !template.fields().iter().any(|field| field.name == axis.field) {
            let tail = did_you_mean(&axis.field, template.fields().iter().map(|field| field.name.as_str()));
            return Err(Error::invalid(format!("The events have no field {}{tail}", axis.field)));
        }
    }
    let found = template.parts().iter().enumerate().find_map(|(at, part)| match part {
        Part::ZOrder(zorder) if (&zorder.x.field, &zorder.y.field) == (&x.field, &y.field) => {
            Some((at, zorder, x, y))
        }
        Part::ZOrder(zorder) if (&zorder.x.field, &zorder.y.field) == (&y.field, &x.field) => {
            Some((at, zorder, y, x))
        }
        _ => None,
    });
    found.ok_or_else(|| {
        let message = format!(
            "The key has no Z-order of {0} and {1}, so a box of them is not in a few key ranges: add {{zorder({0}, {1}, as=hex)}}.",
            x.field, y.field
        );
        Error::new(Code::FailedPrecondition, message)
    })
}

/// A rectangle in whole steps of a Z-order's axes. Both ends are inclusive.
struct Grid {
    x: (u32, u32),
    y: (u32, u32),
    bits: u8,
    first: FirstBit,
}

/// The ranges of the curve, ascending and disjoint, and whether they contain only points of the
/// rectangle.
#[derive(Debug, PartialEq)]
struct Quarters {
    ranges: Vec<(u64, u64)>,
    exact: bool,
}

impl Grid {
    /// Divides the plane down to a depth, or to the last depth that does not exceed the maximum
    /// number of ranges. Each of the `reads` of a scan has these ranges.
    fn quarters(&self, depth: Option<u8>, reads: u32) -> Result<Quarters> {
        let share = |most: usize| (most / reads.max(1) as usize).max(1);
        if let Some(depth) = depth {
            let depth = depth.min(self.bits);
            return self.at_depth(depth, share(RANGES_OF_DEPTH_MAX)).ok_or_else(|| {
                Error::invalid(format!(
                    "At depth {depth} the border of the box cuts too many quarters of the plane: choose a smaller depth, or none."
                ))
            });
        }
        let mut best = Quarters { ranges: alloc::vec![(0, self.last())], exact: false };
        for depth in 0..=self.bits {
            match self.at_depth(depth, share(RANGES_MAX)) {
                Some(quarters) if quarters.exact => return Ok(quarters),
                Some(quarters) => best = quarters,
                None => break,
            }
        }
        Ok(best)
    }

    /// Returns the last number of the curve.
    fn last(&self) -> u64 {
        u64::MAX >> (64 - 2 * u32::from(self.bits))
    }

    /// Divides the plane down to a depth; `None` if there are more than `most` ranges, or far more
    /// quarters.
    fn at_depth(&self, depth: u8, most: usize) -> Option<Quarters> {
        let mut quarters = Quarters { ranges: Vec::new(), exact: true };
        let mut left = most.saturating_mul(QUARTERS_PER_RANGE);
        let fits = self.divide((0, 0), 0, depth, &mut left, &mut quarters) && quarters.ranges.len() <= most;
        fits.then_some(quarters)
    }

    /// Adds the ranges of the quarter with this corner. Returns whether at most `left` quarters
    /// were examined.
    fn divide(
        &self,
        corner: (u32, u32),
        depth: u8,
        deepest: u8,
        left: &mut usize,
        out: &mut Quarters,
    ) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let size = (1u64 << (self.bits - depth)) - 1;
        let place = |at: u32, (low, high): (u32, u32)| {
            // A quarter outside of the rectangle has no points in it. A quarter inside, or at the
            // last depth, becomes a range. Any other quarter is cut by the border, and is divided
            // again.
            let end = u64::from(at) + size;
            (end >= u64::from(low) && at <= high, at >= low && end <= u64::from(high))
        };
        let ((meets_x, within_x), (meets_y, within_y)) = (place(corner.0, self.x), place(corner.1, self.y));
        if !(meets_x && meets_y) {
            return true;
        }
        let is_within = within_x && within_y;
        // Quarters are visited in the order of the curve, so a range that touches the previous one
        // extends it. Example: 0..=3 and 4..=7 become 0..=7.
        if is_within || depth == deepest {
            out.exact &= is_within;
            let low = interleave(corner.0, corner.1, self.first);
            let high = low + u64::MAX.checked_shr(64 - 2 * u32::from(self.bits - depth)).unwrap_or(0);
            match out.ranges.last_mut() {
                Some((_, end)) if *end + 1 == low => *end = high,
                _ => out.ranges.push((low, high)),
            }
            return true;
        }
        let half = 1u32 << (self.bits - depth - 1);
        (0..4u32).all(|at| {
            let (first, second) = (at >> 1, at & 1);
            let (x, y) = if self.first == FirstBit::X { (first, second) } else { (second, first) };
            self.divide((corner.0 + x * half, corner.1 + y * half), depth + 1, deepest, left, out)
        })
    }

    /// Returns patterns of the number, one for each axis of which only a part is allowed.
    fn patterns(&self, zorder: &ZOrder) -> Result<Vec<String>> {
        // The number of bit pairs in a digit.
        let pairs: u8 = match zorder.output {
            ZOutput::Hex => 2,
            ZOutput::Bytes => 4,
            ZOutput::Decimal => {
                return Err(Error::new(
                    Code::FailedPrecondition,
                    "A box needs the bits of the Z-order, and decimal digits mix them: write it with as=hex or as=bytes.",
                ));
            }
        };
        let x_leads = zorder.first == FirstBit::X;
        let last = (u64::MAX >> (64 - u32::from(self.bits))) as u32;
        let axes = [(self.x, x_leads), (self.y, !x_leads)].into_iter().filter(|(span, _)| *span != (0, last));
        Ok(axes.map(|(span, leads)| Digits { pairs, leads }.pattern(span, self.bits)).collect())
    }
}

/// The digits of a Z-order, one of whose axes is tested.
struct Digits {
    /// The number of bit pairs in each digit. The first digit may have fewer.
    pairs: u8,
    /// Whether the tested axis has the first bit of each pair.
    leads: bool,
}

impl Digits {
    /// Returns a pattern of the last digits, which contain `left` bits of the axis. It matches the
    /// numbers `low..=high` of the axis.
    fn pattern(&self, (low, high): (u32, u32), left: u8) -> String {
        let last = |bits: u8| (u64::MAX.checked_shr(64 - u32::from(bits)).unwrap_or(0)) as u32;
        if (low, high) == (0, last(left)) {
            return match left.div_ceil(self.pairs) {
                0 => String::new(),
                digits => format!("\\C{{{digits}}}"),
            };
        }
        // If the bits do not fill all digits, the first digit has fewer bits.
        let here = match left % self.pairs {
            0 => self.pairs,
            some => some,
        };
        let rest = left - here;
        let split = |number: u32| (u64::from(number) >> rest) as u32;
        let tail = |number: u32| number & last(rest);
        let ((a, a_rest), (b, b_rest)) = ((split(low), tail(low)), (split(high), tail(high)));
        if a == b {
            return self.digit(a, a, here) + &self.pattern((a_rest, b_rest), rest);
        }
        // The first digits differ, so there are up to three cases: the first digit of `low`, the
        // digits in between, and the first digit of `high`. In decimal, 23..=58 would become
        // 2[3-9], [34][0-9] and 5[0-8].
        let (mut from, mut to) = (a, b);
        let mut choices: Vec<String> = Vec::new();
        if a_rest > 0 {
            from += 1;
            choices.push(self.digit(a, a, here) + &self.pattern((a_rest, last(rest)), rest));
        }
        if b_rest < last(rest) {
            to -= 1;
        }
        if from <= to {
            choices.push(self.digit(from, to, here) + &self.pattern((0, last(rest)), rest));
        }
        if b_rest < last(rest) {
            choices.push(self.digit(b, b, here) + &self.pattern((0, b_rest), rest));
        }
        match &mut choices[..] {
            [only] => core::mem::take(only),
            all => format!("(?:{})", all.join("|")),
        }
    }

    /// Returns a character class of the digits whose `pairs` bits of the axis are `from..=to`,
    /// whatever the bits of the other axis are.
    fn digit(&self, from: u32, to: u32, pairs: u8) -> String {
        let axis = |digit: u32| {
            let bits = (0..pairs).map(|at| (digit >> (2 * at + u8::from(self.leads)) & 1) << at);
            bits.sum::<u32>()
        };
        let allowed: Vec<u32> =
            (0..1u32 << (2 * pairs)).filter(|digit| (from..=to).contains(&axis(*digit))).collect();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for digit in allowed {
            match runs.last_mut() {
                // In ASCII, the letters do not directly follow the decimal digits.
                Some((_, end)) if *end + 1 == digit && !(self.pairs == 2 && digit == 10) => *end = digit,
                _ => runs.push((digit, digit)),
            }
        }
        let text = |digit: u32| match self.pairs {
            2 => String::from(char::from(b"0123456789abcdef"[digit as usize])),
            _ => format!("\\x{digit:02x}"),
        };
        let classes: Vec<String> = runs
            .iter()
            .map(|&(start, end)| match end - start {
                0 => text(start),
                1 => text(start) + &text(end),
                _ => format!("{}-{}", text(start), text(end)),
            })
            .collect();
        format!("[{}]", classes.concat())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;
    use regex::bytes::Regex;

    use super::*;
    use crate::zorder::Axis;

    fn zorder(bits: u8, first: FirstBit, output: ZOutput) -> ZOrder {
        let axis = |field: &str| Axis { field: field.into(), min: 0.0, max: 1.0 };
        ZOrder { x: axis("x"), y: axis("y"), bits, first, output }
    }

    #[test]
    fn the_deepest_quarters_are_exact() {
        let grid = Grid { x: (1, 2), y: (0, 1), bits: 2, first: FirstBit::X };
        assert_eq!(grid.at_depth(0, 9), Some(Quarters { ranges: vec![(0, 15)], exact: false }));
        assert_eq!(grid.at_depth(1, 9), Some(Quarters { ranges: vec![(0, 3), (8, 11)], exact: false }));
        assert_eq!(grid.at_depth(2, 9), Some(Quarters { ranges: vec![(2, 3), (8, 9)], exact: true }));
        assert_eq!(grid.at_depth(2, 1), None);
        assert_eq!(grid.quarters(Some(31), 1).expect("the depth ends at the bits").ranges, [(2, 3), (8, 9)]);
    }

    #[test]
    fn a_depth_with_too_many_ranges_says_so() {
        let grid = Grid { x: (1, u32::MAX - 1), y: (1, u32::MAX - 1), bits: 32, first: FirstBit::X };
        for depth in [31, 32] {
            let message = grid.quarters(Some(depth), 1).expect_err("billions of quarters").message;
            assert!(
                message.ends_with("cuts too many quarters of the plane: choose a smaller depth, or none."),
                "{message}"
            );
        }
        assert!(grid.quarters(None, 1).expect("few ranges").ranges.len() <= RANGES_MAX);
        assert!(grid.quarters(None, 8).expect("few ranges").ranges.len() <= RANGES_MAX / 8);
    }

    #[test]
    fn patterns_are_short() {
        for output in [ZOutput::Hex, ZOutput::Bytes] {
            let grid =
                Grid { x: (0x1234_5677, 0xfedc_ba97), y: (1, u32::MAX - 1), bits: 32, first: FirstBit::Y };
            let sizes: usize = grid
                .patterns(&zorder(32, FirstBit::Y, output))
                .expect("digits")
                .iter()
                .map(String::len)
                .sum();
            assert!(sizes < 14_000, "{sizes} bytes of 20,480 that a filter may have");
        }
    }

    proptest! {
        /// Ranges contain every point of a rectangle, and the deepest ranges contain no others.
        /// Patterns accept exactly its points.
        #[test]
        fn points_of_a_box_are_found(
            bits in 1u8..=7,
            corners in [any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()],
            x_first in any::<bool>(),
            hex in any::<bool>(),
            depth in 0u8..=7,
        ) {
            let first = if x_first { FirstBit::X } else { FirstBit::Y };
            let [a, b, c, d] = corners.map(|step| step & ((1 << bits) - 1));
            let grid = Grid { x: (a.min(b), a.max(b)), y: (c.min(d), c.max(d)), bits, first };
            let zorder = zorder(bits, first, if hex { ZOutput::Hex } else { ZOutput::Bytes });
            let quarters = grid.at_depth(depth.min(bits), usize::MAX).expect("no limit");
            let patterns: Vec<Regex> = grid.patterns(&zorder).expect("digits").iter()
                .map(|pattern| Regex::new(&format!("(?s-u)^(?:{})$", pattern.replace("\\C", "."))).expect("a pattern"))
                .collect();
            for x in 0..1u32 << bits {
                for y in 0..1u32 << bits {
                    let number = interleave(x, y, first);
                    let is_in = (grid.x.0..=grid.x.1).contains(&x) && (grid.y.0..=grid.y.1).contains(&y);
                    let in_ranges = quarters.ranges.iter().any(|(low, high)| (*low..=*high).contains(&number));
                    prop_assert!(in_ranges || !is_in);
                    if quarters.exact {
                        prop_assert_eq!(in_ranges, is_in);
                    }
                    let mut text = Vec::new();
                    zorder.write_number(number, &mut text);
                    prop_assert_eq!(patterns.iter().all(|pattern| pattern.is_match(&text)), is_in);
                }
            }
            prop_assert!(depth < bits || quarters.exact);
            prop_assert!(quarters.ranges.windows(2).all(|two| two[0].1 + 1 < two[1].0));
        }
    }

    #[test]
    fn deeper_ranges_have_fewer_rows() {
        let fields = ["x", "y"].map(|name| crate::Field::new(name, crate::FieldKind::Float));
        let (template, _) = Template::parse("{zorder(x, y, bits=4, as=hex, x=0..16, y=0..16)}", &fields);
        let layout = Layout::new(crate::LayoutKind::Narrow);
        let zorder = ZOrder {
            x: Axis { max: 16.0, ..zorder(4, FirstBit::X, ZOutput::Hex).x },
            ..zorder(4, FirstBit::X, ZOutput::Hex)
        };
        let mut keys: Vec<RowKey> = Vec::new();
        for number in 0..256 {
            let mut key = Vec::new();
            zorder.write_number(number, &mut key);
            keys.push(key.into());
        }
        let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
        let choice = RowChoice::Box { x: span("x", 1.0, 4.5), y: span("y", 2.0, 2.0), depth: None };
        let depths = box_depths(&template, &layout, &choice, &keys).expect("a Z-order");
        assert_eq!(depths.returned, 4, "the steps 1, 2, 3 and 4 of one line");
        let seen: Vec<(u8, u32, u64)> =
            depths.depths.iter().map(|cost| (cost.depth, cost.ranges, cost.seen)).collect();
        assert_eq!(seen, [(0, 1, 256), (1, 1, 64), (2, 2, 32), (3, 3, 12), (4, 4, 4)]);
        let outside = RowChoice::Box { x: span("x", 17.0, 18.0), y: span("y", 0.0, 1.0), depth: None };
        let nothing = box_depths(&template, &layout, &outside, &keys).expect("a Z-order");
        assert_eq!(nothing, BoxDepths { returned: 0, depths: Vec::new() });
    }

    #[test]
    fn a_literal_or_a_salt_before_it_keeps_the_ranges() {
        let fields = ["x", "y"].map(|name| crate::Field::new(name, crate::FieldKind::Float));
        let layout = Layout::new(crate::LayoutKind::Narrow);
        let span = |field: &str| AxisSpan { field: field.into(), from: 0.3, to: 0.4 };
        let ranges = |text: &str| {
            let text = text.replace("{z}", "{zorder(x, y, bits=8, as=hex, x=0..1, y=0..1)}");
            let (template, problems) = Template::parse(&text, &fields);
            assert_eq!(problems, []);
            template
                .plan(&RowChoice::Box { x: span("x"), y: span("y"), depth: Some(4) }, &layout)
                .expect("a plan")
                .ranges()
        };
        let plain = ranges("{z}");
        assert!(plain > 1);
        assert_eq!(ranges("geo#{z}"), plain);
        assert_eq!(ranges("{salt(4)}-{z}"), 4 * plain);
        assert_eq!(ranges("{salt(4)}{z}"), 4 * plain);
    }

    #[test]
    fn the_choice_is_a_box() {
        let span = |field: &str| AxisSpan { field: field.into(), from: 0.0, to: 0.4999 };
        let choice = RowChoice::Box { x: span("x"), y: span("y"), depth: None };
        let fields = ["x", "y"].map(|name| crate::Field::new(name, crate::FieldKind::Float));
        let layout = Layout::new(crate::LayoutKind::Narrow);
        let plan = |text: &str| {
            let (template, problems) = Template::parse(text, &fields);
            assert_eq!(problems, []);
            template.plan(&choice, &layout)
        };
        let hex = plan("{zorder(x, y, bits=8, as=hex, x=0..1, y=0..1)}").expect("a plan");
        assert_eq!((hex.ranges(), hex.filter(None)), (1, None), "a quarter of the plane is one range");
        let swapped = plan("{zorder(y, x, bits=8, as=hex, x=0..1, y=0..1)}").expect("a plan");
        assert_eq!(swapped.ranges(), 1);
        let error = plan("{x},{y}").expect_err("no Z-order").message;
        assert_eq!(
            error,
            "The key has no Z-order of x and y, so a box of them is not in a few key ranges: add {zorder(x, y, as=hex)}."
        );
    }
}
