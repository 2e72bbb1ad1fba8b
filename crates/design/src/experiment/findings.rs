//! The findings of an experiment, as sentences next to the statements of the article.

use tabletop_keys::{Encoding, LayoutKind, bytes, rate, thousands};
use tabletop_protocol::experiment::{
    DesignFigures, EncodingFigures, ExperimentReport, LINE_R_SQUARED, LINE_SIZES_MIN, Line, LineFit,
    PointFigures,
};

/// The events of the article's largest test: 1,000,000 users, 100 events a day, 90 days.
pub(super) const ARTICLE_EVENTS: f64 = 9.0e9;

/// The sentences of a report, in the order of the article.
pub(super) fn of(report: &ExperimentReport) -> Vec<String> {
    let Some(first) = report.designs.first().filter(|design| design.left_out.is_none()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let taking_part = || report.designs.iter().enumerate().filter(|(_, design)| design.left_out.is_none());
    for (at, design) in taking_part().skip(1) {
        speed(report, first, at, design).into_iter().for_each(|text| out.push(text));
    }
    for (at, design) in taking_part() {
        line(report, design, at == 0).into_iter().for_each(|text| out.push(text));
    }
    if taking_part().all(|(_, design)| design.line.is_none()) {
        out.push(format!(
            "Whether the time grows linearly with the events takes {LINE_SIZES_MIN} sizes or more."
        ));
    }
    // These statements of the article are about a narrow and a wide layout.
    let is_wide =
        |design: &DesignFigures| (first.layout, design.layout) == (LayoutKind::Narrow, LayoutKind::Wide);
    for (at, design) in taking_part().skip(1).filter(|(_, design)| is_wide(design)) {
        all_facets(report, first, at, design).into_iter().for_each(|text| out.push(text));
        server(report, first, at, design).into_iter().for_each(|text| out.push(text));
        out.push(storage(first, design));
    }
    for layout in [LayoutKind::Narrow, LayoutKind::RowPerEntity] {
        encodings(report, layout).into_iter().for_each(|text| out.push(text));
    }
    out.push(match report.network {
        None => "These figures do not include a network, where the article's job spent much of its time: a layout that returns fewer bytes \
                 gains more with a network. You can add an explicit model of one."
            .into(),
        Some(network) => format!(
            "The network is a model: {} ms for each request, and {}/s for the returned bytes.",
            rate(network.round_trip_micros / 1e3),
            bytes(network.bytes_per_second as u64)
        ),
    });
    out
}

fn largest(report: &ExperimentReport, design: usize, facets: u64) -> Option<&PointFigures> {
    report
        .points
        .iter()
        .find(|point| (point.design as usize, point.events, point.facets) == (design, report.events, facets))
}

fn speed(
    report: &ExperimentReport,
    first: &DesignFigures,
    at: usize,
    design: &DesignFigures,
) -> Option<String> {
    let speedup = report
        .speedups
        .iter()
        .find(|speedup| (speedup.design as usize, speedup.facets) == (at, report.facets_asked))?;
    let article = match (first.layout, design.layout) {
        (LayoutKind::Narrow, LayoutKind::Wide) => " (The article: wide is 3 times faster than narrow.)",
        _ => "",
    };
    Some(format!(
        "Asked for {} of {} facets, {} is {} {}, and returns {} of its bytes.{}{article}",
        report.facets_asked,
        report.facets.len(),
        design.name,
        compared(speedup.times, first),
        "on the largest table",
        percent(1.0 / speedup.bytes_times),
        by_lines(speedup.times, report.events as f64, first, design).unwrap_or_default()
    ))
}

/// Compares the lines through the times of all sizes, at the number of events of the largest table.
/// Returns a sentence if they disagree with `times`, the speedup that was measured on that table.
fn by_lines(times: f64, events: f64, first: &DesignFigures, design: &DesignFigures) -> Option<String> {
    let (base, line) = (first.line?, design.line?);
    if base.fit() == LineFit::None || line.fit() == LineFit::None {
        return None;
    }
    let by_lines = base.at(events) / line.at(events);
    let differ =
        Pace::of(times) != Pace::of(by_lines) && times.max(by_lines) > times.min(by_lines) * LINES_DIFFER;
    differ.then(|| {
        let said = compared(by_lines, first);
        format!(
            " Judging by the times of all sizes it is {said}, so it is uncertain which is faster: the machine may have been busy."
        )
    })
}

/// Describes how the time of a design grows. `is_first` adds the statement of the article.
fn line(report: &ExperimentReport, design: &DesignFigures, is_first: bool) -> Option<String> {
    let network = if report.network.is_some() { "with the model of a network" } else { "without network" };
    let article = if is_first {
        " (The article: a line; 60,000 s with narrow = 150,000 events/s, on its machines and network.)"
    } else {
        ""
    };
    Some(format!(
        "{}: {}{article}",
        design.name,
        growth(design.line?, design.article_events_seconds, network)
    ))
}

/// Describes how the time grows with the events. `seconds` is the time for the article's number of
/// events; `None` if the line cannot be extrapolated.
fn growth(line: Line, seconds: Option<f64>, network: &str) -> String {
    let r_squared = line.r_squared;
    let Some(seconds) = seconds else {
        let what = if line.slope > 0.0 {
            "the times scatter too much for a line"
        } else {
            "the time does not grow with the events"
        };
        return format!(
            "{what} (R\u{b2} = {r_squared:.4}), so it cannot be extrapolated: repeat the experiment with more rounds or more \
             events; one machine, in process, {network}."
        );
    };
    let seconds = thousands(seconds.max(0.0) as u64);
    if line.fit() == LineFit::Roughly {
        return format!(
            "the time grows with the events, but the points are not on a line (R\u{b2} = {:.4}, below {LINE_R_SQUARED}): the machine \
             may have been busy. One machine, in process, {network}. 9.0e9 events would take about {seconds} s, which is uncertain: repeat \
             the experiment with more rounds.",
            // Rounded down, so that the printed value is below the bound.
            (r_squared * 1e4).floor() / 1e4
        );
    }
    format!(
        "the time grows linearly with the events (R\u{b2} = {r_squared:.4}), {} \u{b5}s per event: {} events/s on one core; one machine, \
         in process, {network}. 9.0e9 events would take {seconds} s.",
        rate(line.slope),
        thousands((1e6 / line.slope.max(1e-6)) as u64),
    )
}

fn all_facets(
    report: &ExperimentReport,
    first: &DesignFigures,
    at: usize,
    design: &DesignFigures,
) -> Option<String> {
    let all = report.facets.len() as u64;
    let speedup =
        report.speedups.iter().find(|speedup| (speedup.design as usize, speedup.facets) == (at, all))?;
    Some(format!(
        "Asked for all {all} facets, {} is {}, and returns {} of its bytes. (The article: with all facets, wide is as good as narrow.)",
        design.name,
        compared(speedup.times, first),
        percent(1.0 / speedup.bytes_times)
    ))
}

fn server(
    report: &ExperimentReport,
    first: &DesignFigures,
    at: usize,
    design: &DesignFigures,
) -> Option<String> {
    let (base, point) = (largest(report, 0, report.facets_asked)?, largest(report, at, report.facets_asked)?);
    let each = |point: &PointFigures, micros: f64| rate(micros / point.events.max(1) as f64);
    Some(format!(
        "For each event of the largest table, the server takes {} \u{b5}s with {} and {} \u{b5}s with {}, the client {} and {} \u{b5}s. (The article: filters \
         cost server CPU, and save client CPU.)",
        each(base, base.server_micros.median),
        first.name,
        each(point, point.server_micros.median),
        design.name,
        each(base, base.client_micros.median),
        each(point, point.client_micros.median),
    ))
}

fn storage(first: &DesignFigures, design: &DesignFigures) -> String {
    let ratio = |design: &DesignFigures| {
        let sum = design.compressed;
        sum.plain_bytes as f64 / sum.compressed_bytes.max(1) as f64
    };
    let each = |design: &DesignFigures| {
        design.compressed.compressed_bytes as f64 / design.compressed.events.max(1) as f64
    };
    let grown = |design: &DesignFigures| {
        design.compressed.compressed_value_bytes as f64 / design.compressed.value_bytes.max(1) as f64
    };
    format!(
        "{} stores {}, {} {}. In compressed blocks of 64 KiB (DEFLATE; Bigtable's codec is not published) an event takes {} bytes with {} and \
         {} with {}, which shrink {} and {} times. Values compressed alone keep {} and {} of their bytes. (The article: small values \
         compress worse, and wide stores more.)",
        first.name,
        bytes(first.stored_bytes),
        design.name,
        bytes(design.stored_bytes),
        rate(each(first)),
        first.name,
        rate(each(design)),
        design.name,
        rate(ratio(first)),
        rate(ratio(design)),
        percent(grown(first)),
        percent(grown(design)),
    )
}

/// Compares the encodings of a layout's values with JSON.
fn encodings(report: &ExperimentReport, layout: LayoutKind) -> Option<String> {
    let of_layout = || report.encodings.iter().filter(move |figures| figures.layout == layout);
    let json = of_layout().find(|figures| figures.encoding == Encoding::Json)?;
    let each = |figures: &EncodingFigures, of: f64| rate(of / figures.events.max(1) as f64);
    let one = |figures: &EncodingFigures| {
        format!(
            "{}: {} bytes of an event's value, {} of JSON's bytes in the table, {} \u{b5}s to encode, {} to decode",
            figures.encoding.name(),
            each(figures, figures.compressed.value_bytes as f64),
            percent(figures.stored_bytes as f64 / json.stored_bytes.max(1) as f64),
            each(figures, figures.encode_micros.median),
            each(figures, figures.decode_micros.median),
        )
    };
    let values =
        if layout == LayoutKind::Narrow { "with the counts of facets" } else { "that are whole events" };
    let all: Vec<String> = of_layout().map(one).collect();
    Some(format!(
        "Values {values}, of {} events. {}. JSON and MessagePack name what they hold; protobuf needs a .proto file, and a compact list the \
         order of its fields.",
        thousands(json.events),
        all.join("; ")
    ))
}

/// Ratio of times from which a design counts as faster.
const FASTER: f64 = 1.05;
/// Factor above which two ratios count as different.
const LINES_DIFFER: f64 = 1.1;

/// Whether a design is faster than another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Faster,
    Same,
    Slower,
}

impl Pace {
    fn of(times: f64) -> Pace {
        match times {
            times if times >= FASTER => Pace::Faster,
            times if times > 0.0 && times <= 1.0 / FASTER => Pace::Slower,
            _ => Pace::Same,
        }
    }
}

/// `2.4 times faster than Narrow`.
fn compared(times: f64, first: &DesignFigures) -> String {
    match Pace::of(times) {
        Pace::Faster => format!("{times:.1} times faster than {}", first.name),
        Pace::Slower => format!("{:.1} times slower than {}", 1.0 / times, first.name),
        Pace::Same => format!("as fast as {}", first.name),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_near_a_line_are_continued() {
        let said = |times: [f64; 4]| {
            let points: Vec<(f64, f64)> = [1e3, 2e3, 3e3, 4e3].into_iter().zip(times).collect();
            let line = Line::through(&points).expect("a line");
            growth(line, Some(18_000.0).filter(|_| line.fit() != LineFit::None), "without network")
        };
        assert_eq!(
            said([2e3, 4e3, 6e3, 8e3]),
            "the time grows linearly with the events (R\u{b2} = 1.0000), 2 \u{b5}s per event: 500,000 events/s on one core; one machine, \
             in process, without network. 9.0e9 events would take 18,000 s."
        );
        assert_eq!(
            said([2e3, 4e3, 7.5e3, 8e3]),
            "the time grows with the events, but the points are not on a line (R\u{b2} = 0.9362, below 0.99): the machine may have been \
             busy. One machine, in process, without network. 9.0e9 events would take about 18,000 s, which is uncertain: repeat the experiment \
             with more rounds."
        );
        assert_eq!(
            said([2e3, 9e3, 1e3, 8e3]),
            "the times scatter too much for a line (R\u{b2} = 0.1000), so it cannot be extrapolated: repeat the experiment with more \
             rounds or more events; one machine, in process, without network."
        );
        assert!(
            said([8e3, 6e3, 4e3, 2e3])
                .starts_with("the time does not grow with the events (R\u{b2} = 1.0000)")
        );
    }

    #[test]
    fn the_lines_and_the_largest_table_do_not_contradict_each_other_silently() {
        let with_slope = |name: &str, slope: f64| DesignFigures {
            name: name.into(),
            layout: LayoutKind::Narrow,
            left_out: None,
            events_refused: 0,
            stored_bytes: 0,
            compressed: Default::default(),
            line: Some(Line { slope, intercept: 0.0, r_squared: 0.96 }),
            article_events_seconds: None,
        };
        let narrow = with_slope("narrow", 3.09);
        let said = |times, slope| by_lines(times, 1e5, &narrow, &with_slope("wide", slope));
        let expected = " Judging by the times of all sizes it is 1.2 times slower than narrow, so it is uncertain which is faster: the machine \
                        may have been busy.";
        assert_eq!(said(1.0, 3.64).as_deref(), Some(expected));
        assert_eq!(said(1.0, 3.1), None, "they agree");
        assert_eq!(said(0.8, 3.64), None, "both say that it is slower");
        assert_eq!(said(1.04, 2.9), None, "they hardly differ");
        let fixed = DesignFigures {
            line: Some(Line { slope: 3.64, intercept: -5.5e4, r_squared: 0.96 }),
            ..with_slope("wide", 0.0)
        };
        assert_eq!(
            by_lines(1.0, 1e5, &narrow, &fixed),
            None,
            "a fixed cost is in the times of the largest table, too"
        );
    }
}
