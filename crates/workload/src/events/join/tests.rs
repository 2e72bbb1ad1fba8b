use super::super::Events;
use super::super::read::tests::{check, detected, events_of};
use expect_test::expect;
use tabletop_keys::{Field, FieldKind};
use tabletop_workspace::OwnData;

#[test]
fn a_day_and_a_time_of_day_are_one_time() {
    check(
        "Date,Time,Symbol\n2024-03-01,09:30:00,S0\n2024-03-01,09:30:40,S1\n",
        expect![[r#"
        [Date Time, Time Text, Symbol Text, Date Time Time]
        "2024-03-01" "09:30:00" "S0" "2024-03-01 09:30:00"
        "2024-03-01" "09:30:40" "S1" "2024-03-01 09:30:40"
        1:1 Date and Time are read as one time, which is the field Date Time.
    "#]],
    );
    check(
        "Nr;Datum;Uhrzeit\n1;02.01.2026;08:08\n2;13.01.2026;\n",
        expect![[r#"
        [Nr Int, Datum Time, Uhrzeit Text, Datum Uhrzeit Time]
        "1" "02.01.2026" "08:08" "02.01.2026 08:08"
        "2" "13.01.2026" - -
        1:1 Datum and Uhrzeit are read as one time, which is the field Datum Uhrzeit.
    "#]],
    );
    check(
        "clock,x,day\n9:30 AM,1,20240301\n1:05 PM,2,20240301\n",
        expect![[r#"
        [clock Text, x Int, day Time, day clock Time]
        "9:30 AM" "1" "20240301" "20240301 9:30 AM"
        "1:05 PM" "2" "20240301" "20240301 1:05 PM"
        1:1 day and clock are read as one time, which is the field day clock.
    "#]],
    );
    check(
        "Date;Time;CO\n10/03/2004;18.00.00;2,6\n31/03/2004;19.00.00;2,1\n",
        expect![[r#"
        [Date Time, Time Text, CO Float, Date Time Time]
        "10/03/2004" "18.00.00" "2.6" "10/03/2004 18.00.00"
        "31/03/2004" "19.00.00" "2.1" "31/03/2004 19.00.00"
        1:1 Date and Time are read as one time, which is the field Date Time.
        2:21 CO is read as numbers with a decimal comma: "2,6" is 2.6.
    "#]],
    );
    // There is a whole time, or there is no day.
    check(
        "at,Date,Time\n2024-03-01T09:30:00Z,2024-03-01,09:30\n",
        expect![[r#"
        [at Time, Date Time, Time Text]
        "2024-03-01T09:30:00Z" "2024-03-01" "09:30"
    "#]],
    );
    check(
        "Time,v\n09:30,1\n",
        expect![[r#"
        [Time Text, v Int]
        "09:30" "1"
    "#]],
    );
}

#[test]
fn the_parts_of_a_time_in_several_columns_are_one_time() {
    check(
        "No,year,month,day,hour,pm\n1,2010,1,1,0,NA\n2,2010,1,1,1,129\n",
        expect![[r#"
            [No Int, year Int, month Int, day Int, hour Int, pm Int, year month day hour Time]
            "1" "2010" "1" "1" "0" "NA" "2010 1 1 0"
            "2" "2010" "1" "1" "1" "129" "2010 1 1 1"
            1:1 year, month, day and hour are read as one time, which is the field year month day hour.
        "#]],
    );
    check(
        "YEAR,MONTH,DAY,DAY_OF_WEEK,AIRLINE\n2015,1,1,4,AS\n2015,12,31,4,AA\n",
        expect![[r#"
            [YEAR Int, MONTH Int, DAY Int, DAY_OF_WEEK Int, AIRLINE Text, YEAR MONTH DAY Time]
            "2015" "1" "1" "4" "AS" "2015 1 1"
            "2015" "12" "31" "4" "AA" "2015 12 31"
            1:1 YEAR, MONTH and DAY are read as one time, which is the field YEAR MONTH DAY.
        "#]],
    );
    check(
        "arrival_date_year,arrival_date_month,arrival_date_week_number,arrival_date_day_of_month,hotel\n2015,July,27,1,Resort\n2016,May,20,9,City\n",
        expect![[r#"
            [arrival_date_year Int, arrival_date_month Text, arrival_date_week_number Int, arrival_date_day_of_month Int, hotel Text, arrival_date_year arrival_date_month arrival_date_day_of_month Time]
            "2015" "July" "27" "1" "Resort" "2015 July 1"
            "2016" "May" "20" "9" "City" "2016 May 9"
            1:1 arrival_date_year, arrival_date_month and arrival_date_day_of_month are read as one time, which is the field arrival_date_year arrival_date_month arrival_date_day_of_month.
        "#]],
    );
    check(
        "Jahr;Monat;Tag;Stunde;Minute;v\n2024;3;1;9;30;1\n2024;3;1;9;45;2\n",
        expect![[r#"
        [Jahr Int, Monat Int, Tag Int, Stunde Int, Minute Int, v Int, Jahr Monat Tag Stunde Minute Time]
        "2024" "3" "1" "9" "30" "1" "2024 3 1 9 30"
        "2024" "3" "1" "9" "45" "2" "2024 3 1 9 45"
        1:1 Jahr, Monat, Tag, Stunde and Minute are read as one time, which is the field Jahr Monat Tag Stunde Minute.
    "#]],
    );
    check(
        "instant,dteday,yr,mnth,hr,cnt\n1,2011-01-01,0,1,0,16\n2,2011-01-01,0,1,23,40\n",
        expect![[r#"
        [instant Int, dteday Time, yr Int, mnth Int, hr Int, cnt Int, dteday hr Time]
        "1" "2011-01-01" "0" "1" "0" "16" "2011-01-01 0"
        "2" "2011-01-01" "0" "1" "23" "40" "2011-01-01 23"
        1:1 dteday and hr are read as one time, which is the field dteday hr.
    "#]],
    );
}

#[test]
fn fields_that_are_given_are_not_joined() {
    let fields =
        ["year", "month", "day", "hour", "minute", "second"].map(|name| Field::new(name, FieldKind::Int));
    let text = "year,month,day,hour,minute,second\n2013,3,1,0,5,9\n2013,3,1,0,6,0\n";
    for (given, count) in [(vec![], 7), (fields.to_vec(), 6)] {
        let own = OwnData { fields: given, ..detected() };
        let (events, _) = events_of(&own, text);
        assert_eq!(events.fields().len(), count);
        // It stays joined when the file is read again.
        let again = OwnData { fields: events.fields().to_vec(), ..own };
        let (second, _) = events_of(&again, text);
        assert_eq!((second.fields(), second.value(1, 6)), (events.fields(), events.value(1, 6)));
    }
}

#[test]
fn numbers_that_are_no_times_together_are_not_joined() {
    // The 31st of February, hours up to 24, a year of another thing, a time in another column.
    for text in [
        "year,month,day,v\n2010,1,1,a\n2010,2,31,b\n",
        "birth_year,month,day,v\n2010,1,1,a\n2010,2,3,b\n",
        "year,month,v\n2010,1,a\n2010,2,b\n",
        "year,month,day,at\n2010,1,1,2010-01-01T00:00:00Z\n",
        "day,hour,v\n2010-01-01,24,a\n2010-01-02,1,b\n",
        "born,work_hour,v\n2010-01-01,4,a\n2010-01-02,1,b\n",
    ] {
        let (events, _) = events_of(&detected(), text);
        let joined = events.fields().iter().find(|field| field.name.contains(' '));
        assert_eq!(joined, None, "{text}");
    }
}

#[test]
fn joined_columns_are_joined_again_when_the_file_is_read_again() {
    let rows = (0..3_000).map(|at| format!("2024-03-01,{:02}:{:02}\n", at / 60 % 24, at % 60));
    let text: String = std::iter::once("day,clock\n".to_owned()).chain(rows).collect();
    let own = detected();
    let (first, _) = events_of(&own, &text);
    let names: Vec<&str> = first.fields().iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["day", "clock", "day clock"]);
    assert_eq!(
        (first.value(0, 2), first.value(2_999, 2)),
        (Some("2024-03-01 00:00"), Some("2024-03-01 01:59"))
    );
    let (again, _) = events_of(&OwnData { fields: first.fields().to_vec(), ..own }, &text);
    assert_eq!((again.fields(), again.len()), (first.fields(), first.len()));
    assert_eq!(again.value(2_999, 2), first.value(2_999, 2));
}

#[test]
fn fields_of_objects_are_joined() {
    check(
        "{\"date\":\"2024-03-01\",\"time\":\"09:30\",\"v\":1}\n{\"v\":2,\"time\":\"09:31\",\"date\":\"2024-03-02\"}\n",
        expect![[r#"
            [date Time, time Text, v Int, date time Time]
            "2024-03-01" "09:30" "1" "2024-03-01 09:30"
            "2024-03-02" "09:31" "2" "2024-03-02 09:31"
            1:1 date and time are read as one time, which is the field date time.
        "#]],
    );
    check(
        "[{\"at\":{\"year\":2024,\"month\":3,\"day\":9},\"v\":1},{\"at\":{\"year\":2024,\"month\":12,\"day\":10}}]",
        expect![[r#"
            [at.year Int, at.month Int, at.day Int, v Int, at.year at.month at.day Time]
            "2024" "3" "9" "1" "2024 3 9"
            "2024" "12" "10" - "2024 12 10"
            1:1 at.year, at.month and at.day are read as one time, which is the field at.year at.month at.day.
        "#]],
    );
}

/// Names that appear after the fields are known come after the whole time, in this and in later readings.
#[test]
fn joined_fields_of_objects_may_be_followed_by_others() {
    let object = |at: usize| {
        let late = if at < 1_500 { String::new() } else { format!(",\"late\":{at},\"day clock\":\"x{at}\"") };
        format!("{{\"day\":\"2024-03-01\",\"clock\":\"{:02}:{:02}\"{late}}}\n", at / 60 % 24, at % 60)
    };
    let text: String = (0..2_000).map(object).collect();
    let own = detected();
    let (first, _) = events_of(&own, &text);
    let names: Vec<&str> = first.fields().iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["day", "clock", "day clock", "late", "day clock_2"]);
    let row = |events: &Events, at| -> Vec<Option<String>> {
        (0..5).map(|field| events.value(at, field).map(str::to_owned)).collect()
    };
    let texts = |texts: [&str; 5]| texts.map(|text| Some(text.to_owned()).filter(|text| text != "-"));
    assert_eq!(row(&first, 61), texts(["2024-03-01", "01:01", "2024-03-01 01:01", "-", "-"]));
    assert_eq!(row(&first, 1_999), texts(["2024-03-01", "09:19", "2024-03-01 09:19", "1999", "x1999"]));
    let (again, _) = events_of(&OwnData { fields: first.fields().to_vec(), ..own.clone() }, &text);
    assert_eq!(again.fields(), first.fields());
    for at in [0, 999, 1_000, 1_499, 1_500, 1_999] {
        assert_eq!(row(&again, at), row(&first, at));
    }
    // The user has given other names to the parts.
    let mut renamed = first.fields().to_vec();
    (renamed[0].name, renamed[1].name, renamed[2].name) = ("d".into(), "c".into(), "d c".into());
    let (again, _) = events_of(&OwnData { fields: renamed.clone(), ..own }, &text);
    assert_eq!(again.fields(), renamed);
    assert_eq!(row(&again, 1_999), row(&first, 1_999));
}

#[test]
fn a_whole_time_next_to_its_parts_is_read_as_it_is() {
    let text =
        "{\"day\":\"2024-03-01\",\"clock\":\"09:30\",\"day clock\":\"2024-03-01T09:30:05Z\",\"v\":1}\n";
    let own = detected();
    let (first, _) = events_of(&own, text);
    assert_eq!((first.fields().len(), first.value(0, 2)), (4, Some("2024-03-01T09:30:05Z")));
    let (again, _) = events_of(&OwnData { fields: first.fields().to_vec(), ..own }, text);
    assert_eq!((again.fields(), again.value(0, 2)), (first.fields(), first.value(0, 2)));
    assert_eq!(again.value(0, 3), Some("1"));
}
