//! What the name of a field suggests, in several languages.

use alloc::string::String;

use tabletop_keys::words_of;

/// Words of identifiers.
const IDENTIFIERS: [&str; 100] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "key",
    "code",
    "token",
    "user",
    "customer",
    "client",
    "account",
    "device",
    "dev",
    "sensor",
    "host",
    "session",
    "player",
    "vehicle",
    "meter",
    "station",
    "symbol",
    "ticker",
    "sku",
    "kunde",
    "kunden",
    "nutzer",
    "benutzer",
    "konto",
    "gerat",
    "gerät",
    "nr",
    "nummer",
    "kennung",
    "fahrzeug",
    "cliente",
    "usuario",
    "cuenta",
    "dispositivo",
    "código",
    "codigo",
    "utilisateur",
    "compte",
    "appareil",
    "identifiant",
    "utente",
    "conta",
    "usuário",
    "клиент",
    "пользователь",
    "номер",
    "код",
    "устройство",
    "用户",
    "客户",
    "设备",
    "编号",
    "ユーザー",
    "番号",
    "機器",
    "고객",
    "사용자",
    "number",
    "identifier",
    "num",
    "receipt",
    "invoice",
    "order",
    "ticket",
    "trip",
    "parcel",
    "tracking",
    "patient",
    "beleg",
    "rechnung",
    "auftrag",
    "bestellung",
    "pedido",
    "factura",
    "commande",
    "facture",
    "store",
    "shop",
    "branch",
    "dept",
    "department",
    "item",
    "product",
    "visitor",
    "member",
    "employee",
    "driver",
    "machine",
    "subject",
    "person",
    "student",
    "node",
    "nbr",
    "mmsi",
    "imei",
];
/// Words of the parts of the calendar, with their largest numbers.
const PARTS_OF_TIME: [(f64, &[&str]); 5] = [
    (23.0, &["hour", "hr", "hours", "stunde", "hora", "heure", "ora", "час", "小时"]),
    (53.0, &["week", "woche", "semana", "semaine", "settimana", "неделя", "星期"]),
    (31.0, &["day", "tag", "jour", "giorno", "день"]),
    (12.0, &["month", "mnth", "monat", "mes", "mês", "mois", "mese", "месяц"]),
    (7.0, &["weekday", "dow", "wochentag"]),
];
/// Last words of the number of a part of the calendar.
const NUMBERS: [&str; 6] = ["number", "num", "no", "nr", "nbr", "id"];
/// Words of quantities: the number of a week, and days since an order.
const QUANTITIES: [&str; 17] = [
    "since", "until", "per", "count", "qty", "quantity", "total", "avg", "mean", "days", "weeks", "week",
    "months", "hours", "minutes", "seconds", "years",
];
const LONGITUDES: [&str; 8] = ["lon", "lng", "long", "longitude", "längengrad", "longitud", "经度", "経度"];
const LATITUDES: [&str; 7] = ["lat", "latitude", "breitengrad", "latitud", "широта", "纬度", "緯度"];

/// Returns whether a name suggests an identifier: by its last word, or its first one, where a
/// language has the noun first. A `user_cohort` is not a user.
pub(super) fn suggest_identifier(name: &str) -> bool {
    let words = words_of(name);
    if words.iter().any(|word| QUANTITIES.contains(&word.as_str())) {
        return false;
    }
    // `visitorid`
    let is_joined = |word: &String| {
        let entity = word.strip_suffix("id").or_else(|| word.strip_suffix("nr"));
        entity.is_some_and(|entity| IDENTIFIERS.contains(&entity))
    };
    let is_one = |word: Option<&String>| word.is_some_and(|word| IDENTIFIERS.contains(&word.as_str()));
    let is_general = |word: Option<&String>| {
        word.is_some_and(|word| ["id", "nr", "no", "número", "código"].contains(&word.as_str()))
    };
    words.last().is_some_and(is_joined)
        || is_one(words.last())
        || is_general(words.first())
        || has_foreign_word(name, &IDENTIFIERS)
}

/// Returns whether the name of a field of whole numbers up to `most` suggests a part of the calendar: by
/// its last word, or in a name as `hour_of_day` or `week_number`. Nights of a week are a quantity.
pub(super) fn suggest_part_of_time(name: &str, most: f64) -> bool {
    let all = words_of(name);
    let is_part = |words: &[&str]| {
        let is_one = |word: &String| words.contains(&word.as_str());
        let is_numbered = all.last().is_some_and(|last| NUMBERS.contains(&last.as_str()));
        let is_of = all.iter().any(|word| word == "of") || is_numbered;
        all.last().is_some_and(is_one) || is_of && all.iter().any(is_one) || has_foreign_word(name, words)
    };
    PARTS_OF_TIME.iter().any(|(limit, words)| most <= *limit && is_part(words))
}

/// Returns whether a name suggests a longitude.
pub(super) fn suggest_longitude(name: &str) -> bool {
    has_word(name, &LONGITUDES)
}

/// Returns whether a name suggests a latitude.
pub(super) fn suggest_latitude(name: &str) -> bool {
    has_word(name, &LATITUDES)
}

fn has_word(name: &str, words: &[&str]) -> bool {
    words_of(name).iter().any(|word| words.contains(&word.as_str())) || has_foreign_word(name, words)
}

/// In a script without spaces, a word is anywhere in the name.
fn has_foreign_word(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| !word.is_ascii() && name.to_lowercase().contains(word))
}
