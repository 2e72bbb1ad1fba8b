use super::*;
use tabletop_keys::FieldKind;

fn fields(names: &[&str]) -> Vec<Field> {
    names.iter().map(|&name| Field::new(name, FieldKind::Text)).collect()
}

fn texts(events: &Events, index: usize) -> Vec<Option<&str>> {
    let mut values = vec![Some("left from the event before")];
    events.record(index, &mut values);
    values
}

#[test]
fn added_events_are_read() {
    let long = "x".repeat(3 * CHUNK_BYTES + 5);
    let exact = "y".repeat(CHUNK_BYTES);
    let rows: Vec<Vec<Option<&str>>> = vec![
        vec![Some("a"), Some(""), None],
        vec![None, None, None],
        vec![Some("é\u{1f600}"), None, Some(&long)],
        vec![Some(&exact), Some("a"), Some("a")],
        vec![Some("z"), Some(&long), Some("")],
    ];
    let mut events = Events::new(fields(&["one", "two", "three"]));
    for row in &rows {
        events.push(row).unwrap();
    }
    assert_eq!(events.len(), rows.len());
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(&texts(&events, index), row, "event {index}");
    }
    let bytes: usize = rows.iter().flatten().flatten().map(|text| text.len()).sum();
    assert_eq!(events.bytes(), bytes as u64);
}

#[test]
fn a_late_field_is_absent_from_earlier_events() {
    let mut events = Events::new(fields(&["a"]));
    events.push(&[Some("1")]).unwrap();
    events.add_field(fields(&["b"]).remove(0));
    events.push(&[Some("2"), Some("3")]).unwrap();
    events.push(&[Some("4")]).unwrap();
    assert_eq!(texts(&events, 0), [Some("1"), None]);
    assert_eq!(texts(&events, 1), [Some("2"), Some("3")]);
    assert_eq!(texts(&events, 2), [Some("4"), None]);
}

#[test]
fn fields_are_renamed_and_retyped_but_never_fewer_or_alike() {
    let mut events = Events::new(fields(&["a", "b"]));
    events.push(&[Some("1"), Some("2")]).unwrap();
    let mut wanted = fields(&["b", "a"]);
    wanted[0].kind = FieldKind::Int;
    events.set_fields(wanted.clone()).unwrap();
    assert_eq!(events.fields(), wanted);
    assert_eq!(texts(&events, 0), [Some("1"), Some("2")]);
    for (refused, expected) in
        [(vec!["a"], "has 2 fields"), (vec!["a", ""], "Field 2 has no name"), (vec!["a", "a"], "called `a`")]
    {
        let error = events.set_fields(fields(&refused)).unwrap_err();
        assert!(error.message.contains(expected) || error.message.contains("have 2 fields"), "{error}");
        assert_eq!(events.fields(), wanted);
    }
}

#[test]
fn repeated_texts_are_stored_once() {
    let mut events = Events::new(fields(&["same", "other"]));
    let same = "a text of some length that every event has".repeat(10);
    for index in 0..100_000 {
        events.push(&[Some(&same), Some(&index.to_string())]).unwrap();
    }
    assert!(events.bytes() > 40_000_000);
    assert!(events.memory_bytes() < 4_000_000, "{}", events.memory_bytes());
    assert_eq!(texts(&events, 77_777), [Some(same.as_str()), Some("77777")]);
}

#[test]
fn a_full_arena_refuses_events_and_keeps_the_others() {
    let mut events = Events::new(fields(&["a"]));
    let big = "b".repeat(100 << 20);
    let mut pushed = 0;
    let error = loop {
        match events.push(&[Some(&big)]) {
            Ok(()) => pushed += 1,
            Err(error) => break error,
        }
    };
    // 10 x 100 MiB fit in 1 GiB. They are one text, so the test itself takes only 100 MiB.
    assert_eq!((pushed, events.len(), error.code), (10, 10, Code::ResourceExhausted));
    events.push(&[Some("small")]).unwrap();
    assert_eq!(texts(&events, 10), [Some("small")]);
}

/// Words of eight bytes are mixed one after another, so a second word can undo the difference of
/// the first.
#[test]
fn texts_with_the_same_hash_are_distinct() {
    let first_word = |n: u32| format!("text{n:04}");
    let tail = *b"the same";
    let twin = (1..).find_map(|n| {
        let word = |text: String| u64::from_le_bytes(text.into_bytes().try_into().unwrap());
        let mixed = |text| (16u64.rotate_left(23) ^ word(text)).wrapping_mul(HASH_FACTOR).rotate_left(23);
        let undo = (mixed(first_word(0)) ^ mixed(first_word(n))).to_le_bytes();
        let bytes: Vec<u8> = tail.iter().zip(undo).map(|(byte, undo)| byte ^ undo).collect();
        bytes.is_ascii().then(|| first_word(n) + str::from_utf8(&bytes).unwrap())
    });
    let (one, twin) = (first_word(0) + str::from_utf8(&tail).unwrap(), twin.unwrap());
    assert!(one != twin && hash(one.as_bytes()) == hash(twin.as_bytes()));
    let mut events = Events::new(fields(&["a", "b"]));
    events.push(&[Some(&one), Some(&twin)]).unwrap();
    events.push(&[Some(&one), Some(&twin)]).unwrap();
    assert_eq!(texts(&events, 1), [Some(one.as_str()), Some(twin.as_str())]);
}
