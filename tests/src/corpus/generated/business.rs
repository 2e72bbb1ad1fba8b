//! Orders, money, votes and tickets.

use super::{Event, Generated};

/// Orders with a date and a time of day in two columns, and amounts with a decimal comma.
pub(super) fn orders_german() -> Generated {
    Generated::new(41, 3_000)
        .from("2026-01-02T08:00:00Z")
        .random(600, 540.0)
        .delimited(";")
        .column("Bestell-Nr", |e| (100_000 + e.index).to_string())
        .column("Datum", |e| e.time("%d.%m.%Y"))
        .column("Uhrzeit", |e| e.time("%H:%M"))
        .column("Kunde", |e| format!("K{}", e.entity + 1))
        .column("Land", |e| e.pick(&["DE", "DE", "AT", "CH", "FR"]))
        .column("Betrag (€)", |e| amount(e).replace('.', ","))
        .column("Menge", |e| e.few(9))
        .column("Bemerkung", |e| e.pick(&["", "", "Bitte klingeln", "Müller & Söhne", "eilig"]))
}

/// Orders with a date and a time of day in two columns.
pub(super) fn orders_spanish() -> Generated {
    Generated::new(42, 2_500)
        .from("2026-01-02T09:00:00Z")
        .random(350, 700.0)
        .column("pedido", |e| format!("P{:06}", 20_000 + e.index))
        .column("fecha", |e| e.time("%d/%m/%Y"))
        .column("hora", |e| e.time("%H:%M:%S"))
        .column("cliente", |e| format!("C-{}", e.number_of_entity(5)))
        .column("tienda", |e| e.pick(&["Madrid", "Madrid", "Sevilla", "Valencia"]))
        .column("importe", amount)
        .column("unidades", |e| e.few(12))
}

/// Orders with a date and a time of day in two columns.
pub(super) fn orders_chinese() -> Generated {
    Generated::new(43, 2_500)
        .from("2026-02-01T01:00:00Z")
        .random(400, 400.0)
        .column("订单号", |e| (880_000_000 + e.index * 3 + e.below(3)).to_string())
        .column("日期", |e| e.time("%Y-%m-%d"))
        .column("时间", |e| e.time("%H:%M:%S"))
        .column("客户", |e| format!("客户{}", e.entity + 1))
        .column("城市", |e| e.pick(&["北京", "上海", "广州", "成都"]))
        .column("金额", amount)
        .column("数量", |e| e.few(30))
}

/// Orders with a date and a time of day in two columns.
pub(super) fn orders_russian() -> Generated {
    Generated::new(44, 2_000)
        .from("2026-03-01T06:00:00Z")
        .random(250, 800.0)
        .delimited(";")
        .column("Номер заказа", |e| (5_000 + e.index).to_string())
        .column("Дата", |e| e.time("%d.%m.%Y"))
        .column("Время", |e| e.time("%H:%M"))
        .column("Клиент", |e| format!("клиент-{}", e.entity + 1))
        .column("Город", |e| e.pick(&["Москва", "Москва", "Казань", "Омск"]))
        .column("Сумма", |e| (100 + e.skewed(90_000)).to_string())
}

/// Orders with Japanese names.
pub(super) fn orders_japanese() -> Generated {
    Generated::new(45, 2_500)
        .from("2026-03-01T00:00:00Z")
        .random(300, 300.0)
        .column("注文番号", |e| (300_001 + e.index).to_string())
        .column("注文日時", |e| e.time("%Y/%m/%d %H:%M:%S"))
        .column("顧客コード", |e| format!("A{}", e.number_of_entity(6)))
        .column("都道府県", |e| e.pick(&["東京都", "大阪府", "北海道", "福岡県"]))
        .column("金額", |e| (e.skewed(900) * 100 + 100).to_string())
        .column("支払方法", |e| e.pick(&["カード", "カード", "現金", "振込"]))
}

/// Orders with French names.
pub(super) fn orders_french() -> Generated {
    Generated::new(46, 2_000)
        .from("2026-04-01T07:00:00Z")
        .random(260, 650.0)
        .delimited(";")
        .column("N° de commande", |e| format!("FR-{:05}", 41_000 + e.index))
        .column("Date de création", |e| e.time("%d/%m/%Y %H:%M:%S"))
        .column("Client", |e| format!("cl{}", e.number_of_entity(5)))
        .column("Ville", |e| e.pick(&["Lyon", "Nîmes", "Orléans", "Paris", "Paris"]))
        .column("Montant", |e| amount(e).replace('.', ","))
        .column("Quantité", |e| e.few(20))
}

/// Payments at terminals, with names that mean nothing.
pub(super) fn meaningless_names() -> Generated {
    Generated::new(47, 2_500)
        .from("2026-04-06T06:00:00Z")
        .random(90, 60.0)
        .column("a", |e| (70_000 + e.index).to_string())
        .column("b", |e| e.time("%Y-%m-%d %H:%M:%S"))
        .column("c", |e| format!("t{}", e.number_of_entity(4)))
        .column("d", |e| (50 + e.skewed(40_000)).to_string())
        .column("e", |e| e.pick(&["chip", "chip", "tap", "swipe"]))
        .column("f", |e| e.time("%a"))
}

/// Several transactions of an account on a day.
pub(super) fn bank_transactions() -> Generated {
    Generated::new(48, 3_000)
        .from("2025-10-01T07:00:00Z")
        .random(120, 2_400.0)
        .column("transaction_id", Event::uuid)
        .column("account", |e| format!("DE{}", e.number_of_entity(18)))
        .column("booked_on", |e| e.time("%Y-%m-%d"))
        .column("valued_on", |e| e.time("%Y-%m-%d"))
        .column("amount", |e| e.near(-20.0, 400.0, 2))
        .column("currency", |e| e.pick(&["EUR", "EUR", "EUR", "USD", "CHF"]))
        .column("balance", |e| e.near(2_500.0, 2_400.0, 2))
        .column("purpose", |e| {
            let count = 2 + e.below(5);
            e.words(count)
        })
}

/// Fines for parked cars, with plates of several countries.
pub(super) fn parking_fines() -> Generated {
    Generated::new(49, 2_000)
        .from("2026-02-02T06:00:00Z")
        .random(900, 260.0)
        .column("fine_no", |e| format!("26-{:07}", 31_000 + e.index))
        .column("issued", |e| e.time("%d %b %Y %H:%M"))
        .column("plate", |e| {
            format!("{} {}", ["M", "B", "HH", "W", "PL"][e.fixed(1, 5) as usize], e.number_of_entity(5))
        })
        .column("street", |e| e.pick(&["High Street", "Mill Lane", "Station Road", "Park Avenue"]))
        .column("zone", |e| e.pick(&["A", "B", "C"]))
        .column("officer", |e| format!("off{}", e.below(14)))
        .column("amount", |e| e.pick(&["15", "30", "30", "55"]))
}

/// Votes in precincts: no time at all.
pub(super) fn elections() -> Generated {
    Generated::new(50, 1_800)
        .panel(300, 1)
        .column("county", |e| ["Adams", "Brown", "Clark", "Dane", "Eaton"][e.entity as usize / 60].into())
        .column("precinct", |e| format!("{:04}-{}", 1_000 + e.entity, ["A", "B"][e.fixed(1, 2) as usize]))
        .column("office", |e| ["Mayor", "Council"][e.earlier as usize / 3].into())
        .column("candidate", |e| ["Lee", "Ortiz", "Smith"][e.earlier as usize % 3].into())
        .column("party", |e| ["GRN", "DEM", "REP"][e.earlier as usize % 3].into())
        .column("votes", |e| (3 + e.skewed(900)).to_string())
}

/// Sales of shops by hour: the time is in a date, a weekday and an hour.
pub(super) fn shop_hours() -> Generated {
    Generated::new(51, 3_000)
        .from("2026-02-02T08:00:00Z")
        .rounds(12, 3_600)
        .column("store", |e| format!("store {}", e.entity + 1))
        .column("date", |e| e.time("%-m/%-d/%Y"))
        .column("weekday", |e| e.time("%A"))
        .column("hour", |e| e.time("%-H"))
        .column("units", |e| e.slow(70.0, 65.0, 0))
        .column("revenue", amount)
}

/// Flights of every day, with bars between the columns.
pub(super) fn flights_with_bars() -> Generated {
    Generated::new(53, 2_400)
        .from("1988-01-01")
        .rounds(120, 86_400)
        .delimited("|")
        .column("FL_DATE", |e| e.time("%Y-%m-%d"))
        .column("CARRIER", |e| ["AA", "DL", "UA", "WN", "US"][e.fixed(1, 5) as usize].into())
        .column("FL_NUM", |e| (100 + e.entity * 7).to_string())
        .column("ORIGIN", |e| ["JFK", "LAX", "ORD", "ATL", "DFW", "SEA"][e.fixed(2, 6) as usize].into())
        .column("DEST", |e| ["BOS", "SFO", "DEN", "MIA", "PHX"][e.fixed(3, 5) as usize].into())
        .column("DEP_DELAY", |e| if e.is_one_of(50) { "NA".into() } else { e.near(8.0, 25.0, 0) })
}

/// A small file: support tickets.
pub(super) fn tickets() -> Generated {
    Generated::new(52, 90)
        .from("2026-03-02T08:00:00Z")
        .random(25, 5_400.0)
        .column("ticket", |e| format!("TK-{:04}", 812 + e.index))
        .column("opened", |e| e.time("%Y-%m-%d %H:%M"))
        .column("customer", |e| format!("cust-{}", e.entity + 1))
        .column("priority", |e| e.pick(&["low", "normal", "normal", "high"]))
        .column("subject", |e| {
            let count = 3 + e.below(5);
            e.words(count)
        })
}

fn amount(event: &mut Event) -> String {
    event.near(180.0, 175.0, 2)
}
