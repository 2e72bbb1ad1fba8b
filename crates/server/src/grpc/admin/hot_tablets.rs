//! Hot tablets: what the work that the engine counted would cost on a node of Bigtable.

use tabletop_cluster::{CostModel, Medium};
use tabletop_model::{Code, TabletMinute, Timestamp};
use tonic::Status;
use xxhash_rust::xxh3::xxh3_64;

use super::clusters::find;
use super::times::{DAY, micros, time};
use super::{Admin, names as admin_names, proto};
use crate::grpc::status::{invalid, status};
use crate::host::InstanceName;

/// The maximum number of hot tablets in an answer, over all its pages.
const HOT_MAX: usize = 50;
/// The resolution of times, in microseconds.
const MINUTE: i64 = 60_000_000;
/// A tablet is listed once per this interval, in microseconds: in its busiest minute.
const ONCE_IN: i64 = 15 * MINUTE;
/// The longest range of time that can be requested.
const RANGE_MAX: i64 = 2 * DAY;
/// The oldest time that can be requested.
const AGE_MAX: i64 = 14 * DAY;
/// The prefix of page tokens.
const MARK: &str = "from:";

impl Admin {
    /// Lists the tablets that took the most of a node's CPU in a minute, the busiest first. The
    /// engine counts the last hour, since the instance was opened. The percentage is relative to a
    /// node on SSD with the costs that Google publishes: this process has no nodes, and one engine
    /// does the work of all clusters of an instance. Rows and reads count; their bytes do not.
    pub(super) fn list_hot_tablets(
        &self,
        request: proto::ListHotTabletsRequest,
    ) -> Result<proto::ListHotTabletsResponse, Status> {
        let (instance, id) = admin_names::cluster(&request.parent)?;
        let cluster = self.read_instance(&instance, |known| match id.as_str() {
            "-" => Ok(known.clusters.keys().next().cloned()),
            _ => find(known, &id, &request.parent).map(|_| Some(id.clone())),
        })?;
        let (from, until) = range(&request, self.now())?;
        let begin = match request.page_token.strip_prefix(MARK).map(str::parse::<usize>) {
            Some(Ok(begin)) => begin,
            None if request.page_token.is_empty() => 0,
            _ => {
                return Err(invalid(
                    "Error in field 'page_token' : it is not a token of this list: leave it empty for the first page",
                ));
            }
        };
        let size = usize::try_from(request.page_size).map_err(|_| {
            invalid(format!("Error in field 'page_size' : {} is negative: use 0 for all", request.page_size))
        })?;
        let served = match self.host.instance(&instance) {
            Ok(served) => Some(served),
            // An instance with clusters may have no tables yet.
            Err(error) if error.code == Code::NotFound => None,
            Err(error) => return Err(status(error)),
        };
        let Some((cluster, served)) = cluster.zip(served) else {
            return Ok(proto::ListHotTabletsResponse::default());
        };
        let loads = served.with(|engine, now| {
            let loads = engine.tablet_minutes(now);
            Ok(loads.map(|(table, minutes)| (table.to_owned(), minutes)).collect::<Vec<_>>())
        });
        let hot = hottest(loads.map_err(status)?, from, until);
        let size = if size == 0 { HOT_MAX } else { size };
        let end = begin.saturating_add(size).min(hot.len());
        let next_page_token = if end < hot.len() { format!("{MARK}{end}") } else { String::new() };
        let cluster = admin_names::within(&instance, "clusters", &cluster);
        let page = hot.get(begin..end).unwrap_or_default();
        let hot_tablets = page.iter().map(|tablet| message(&instance, &cluster, tablet)).collect();
        Ok(proto::ListHotTabletsResponse { hot_tablets, next_page_token })
    }
}

/// A tablet of a table in a minute.
struct Hot {
    table: String,
    percent: f32,
    minute: TabletMinute,
}

/// Returns the range of times that a request asks for, or the last day if it does not name one.
fn range(request: &proto::ListHotTabletsRequest, now: Timestamp) -> Result<(Timestamp, Timestamp), Status> {
    let until = request.end_time.as_ref().map_or(now, micros);
    let from = request.start_time.as_ref().map_or(until.saturating_sub(DAY), micros);
    let refused = |field: &str, why: &str| Err(invalid(format!("Error in field '{field}' : {why}")));
    if from >= until {
        return refused("start_time", "it must be before end_time");
    }
    if until.saturating_sub(from) > RANGE_MAX {
        return refused("start_time", "it is more than 48 hours before end_time");
    }
    if from < now.saturating_sub(AGE_MAX) {
        return refused("start_time", "it is more than 14 days ago");
    }
    Ok((from, until))
}

/// Returns the tablets that had any work in minutes that begin in `[from, until)`, the busiest
/// first. A tablet is listed once per 15 minutes.
fn hottest(tables: Vec<(String, Vec<TabletMinute>)>, from: Timestamp, until: Timestamp) -> Vec<Hot> {
    let model = CostModel::on(Medium::Ssd);
    let mut hot: Vec<Hot> = Vec::new();
    for (table, minutes) in tables {
        // A range may begin within a minute.
        let asked = minutes
            .into_iter()
            .filter(|minute| minute.from > from.saturating_sub(MINUTE) && minute.from < until);
        for minute in asked {
            let percent = percent(&model, &minute);
            let is_same = |known: &&mut Hot| {
                let (a, b) = (&known.minute, &minute);
                known.table == table
                    && a.tablet == b.tablet
                    && a.from.div_euclid(ONCE_IN) == b.from.div_euclid(ONCE_IN)
            };
            match hot.last_mut().filter(is_same) {
                Some(known) if known.percent < percent => (known.percent, known.minute) = (percent, minute),
                Some(_) => {}
                None => hot.push(Hot { table: table.clone(), percent, minute }),
            }
        }
    }
    hot.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    hot.truncate(HOT_MAX);
    hot
}

/// Returns the percentage of a node's CPU that the work of a minute takes.
fn percent(model: &CostModel, minute: &TabletMinute) -> f32 {
    let reads = minute.scans as f64 * model.request_nanos
        + minute.rows_read as f64 * (model.row_seen_nanos + model.cell_seen_nanos);
    let writes = minute.rows_written as f64 * (model.request_nanos + model.row_written_nanos);
    let available = f64::from(model.cores) * MINUTE as f64 * 1e3;
    ((reads + writes) / available * 100.0).min(100.0) as f32
}

fn message(instance: &InstanceName, cluster: &str, hot: &Hot) -> proto::HotTablet {
    let Hot { table, percent, minute } = hot;
    // IDs of tables have characters that these names may not have.
    let id =
        format!("{:016x}-{}-{}", xxh3_64(table.as_bytes()), minute.tablet.0, minute.from.div_euclid(MINUTE));
    proto::HotTablet {
        name: format!("{cluster}/hotTablets/{id}"),
        table_name: admin_names::within(instance, "tables", table),
        start_time: time(minute.from),
        end_time: time(minute.from.saturating_add(MINUTE)),
        // Keys are bytes, and these fields are text: other bytes are escaped.
        start_key: minute.start.to_string(),
        end_key: minute.end.to_string(),
        node_cpu_usage_percent: *percent,
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::TabletId;

    use super::*;

    fn minute(tablet: u64, at: i64, rows_written: u64) -> TabletMinute {
        let (start, end) = (Default::default(), Default::default());
        TabletMinute {
            tablet: TabletId(tablet),
            start,
            end,
            from: at * MINUTE,
            scans: 0,
            rows_read: 0,
            rows_written,
        }
    }

    #[test]
    fn a_tablet_is_listed_in_its_busiest_minute_of_fifteen() {
        let loads = vec![
            (
                "a".to_string(),
                vec![
                    minute(1, 30, 10),
                    minute(1, 31, 30),
                    minute(1, 44, 20),
                    minute(1, 45, 5),
                    minute(2, 46, 7),
                ],
            ),
            ("b".to_string(), vec![minute(1, 30, 25)]),
        ];
        let found = |from: i64, until: i64| -> Vec<(String, i64)> {
            let hot = hottest(loads.clone(), from * MINUTE, until * MINUTE);
            hot.iter()
                .map(|hot| (format!("{}{}", hot.table, hot.minute.tablet.0), hot.minute.from / MINUTE))
                .collect()
        };
        let all =
            [("a1", 31), ("b1", 30), ("a2", 46), ("a1", 45)].map(|(tablet, at)| (tablet.to_string(), at));
        assert_eq!(found(0, 100), all);
        assert_eq!(found(32, 45), [("a1".to_string(), 44)]);
        assert_eq!(found(47, 100), []);
        let many = (0..200).map(|tablet| minute(tablet, 1, tablet + 1)).collect();
        let hot = hottest(vec![("t".into(), many)], 0, i64::MAX);
        assert!(hot.len() == HOT_MAX && hot[0].minute.tablet == TabletId(199));
    }

    #[test]
    fn a_node_that_does_what_google_publishes_is_busy() {
        let model = CostModel::on(Medium::Ssd);
        let writes = percent(&model, &minute(1, 0, 14_000 * 60));
        assert!((70.0..=100.0).contains(&writes), "{writes}");
        let reads = TabletMinute { scans: 17_000 * 60, rows_read: 17_000 * 60, ..minute(1, 0, 0) };
        assert!((45.0..=100.0).contains(&percent(&model, &reads)), "{}", percent(&model, &reads));
        assert_eq!(percent(&model, &minute(1, 0, 0)), 0.0);
        assert_eq!(percent(&model, &minute(1, 0, u64::MAX)), 100.0);
    }
}
