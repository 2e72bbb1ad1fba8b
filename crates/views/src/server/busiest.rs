//! The table that clients use most.

use tabletop_protocol::{LiveFigures, LiveServer, LiveTable};

/// Returns the rows that clients read and write per second.
pub fn load(figures: &LiveFigures) -> f32 {
    figures.reads_per_second + figures.writes_per_second
}

/// Returns the table that clients use most, with its figures; the first one if none is used.
pub fn busiest_table(server: &LiveServer) -> Option<(LiveTable, &LiveFigures)> {
    let all = server
        .instances
        .iter()
        .flat_map(|instance| instance.tables.iter().map(move |figures| (instance, figures)));
    // The first of equal ones.
    let most = all.reduce(|most, next| if load(next.1) > load(most.1) { next } else { most });
    most.map(|(instance, figures)| {
        (LiveTable { instance: instance.name.clone(), table: figures.table.clone() }, figures)
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_protocol::LiveInstance;

    use super::*;

    #[test]
    fn the_busiest_table_is_that_with_most_rows() {
        let figures = |table: &str, reads_per_second, writes_per_second| LiveFigures {
            table: table.into(),
            reads_per_second,
            writes_per_second,
            ..LiveFigures::default()
        };
        let instance = |name: &str, tables| LiveInstance {
            name: name.into(),
            tables,
            is_open: true,
            ..LiveInstance::default()
        };
        let mut server = LiveServer {
            instances: vec![
                instance("a", vec![figures("x", 0.0, 0.0), figures("y", 3.0, 4.0)]),
                instance("b", vec![figures("z", 0.0, 8.0)]),
            ],
            ..LiveServer::default()
        };
        let name = |server: &LiveServer| busiest_table(server).map(|(table, _)| table.table);
        assert_eq!(name(&server).as_deref(), Some("z"));
        server.instances.pop();
        assert_eq!(name(&server).as_deref(), Some("y"));
        server.instances[0].tables.pop();
        assert_eq!(name(&server).as_deref(), Some("x"), "no client uses it, but it exists");
        assert_eq!(name(&LiveServer::default()), None);
    }
}
