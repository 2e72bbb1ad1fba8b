use std::io::Write;

use expect_test::expect;
use tabletop_workspace::{Format, OnBadLine, OwnData, Reading, TextEncoding};

use super::super::read::tests::{check, check_with, own};
use super::*;

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn chosen(encoding: TextEncoding) -> OwnData {
    let reading = Reading { encoding, ..Reading::default() };
    OwnData { reading, ..own(Format::Detect, OnBadLine::Skip) }
}

/// Returns the text of a file that is read in slices of this size, and the encoding that is found.
fn text(bytes: &[u8], encoding: TextEncoding, slice: usize) -> (Vec<u8>, Option<&'static str>) {
    let mut decoder = Decoder::new(encoding);
    let (mut out, mut name) = (Vec::new(), None);
    for slice in bytes.chunks(slice) {
        name = name.or(decoder.feed(slice, false, &mut out).unwrap().map(|found| found.encoding));
    }
    name = name.or(decoder.feed(b"", true, &mut out).unwrap().map(|found| found.encoding));
    (out, name)
}

#[test]
fn gzip_of_one_member_or_several_is_unpacked() {
    check(
        packed(b"a,b\n1,2\n3,4\n"),
        expect![[r#"
        [a Int, b Int]
        "1" "2"
        "3" "4"
    "#]],
    );
    check(
        [packed(b"a,b\n1,2\n"), packed(b"3,4\n")].concat(),
        expect![[r#"
        [a Int, b Int]
        "1" "2"
        "3" "4"
    "#]],
    );
    check(
        packed(b"{\"a\":1}\n"),
        expect![[r#"
        [a Int]
        "1"
    "#]],
    );
    check(
        packed("Datum;Ort\n1;K\u{f6}ln\n".as_bytes()),
        expect![[r#"
        [Datum Int, Ort Text]
        "1" "Köln"
    "#]],
    );
    check(
        packed(b""),
        expect![[r#"
        []
        1:1 The file is empty.
    "#]],
    );
}

#[test]
fn damaged_gzip_is_reported() {
    let mut file = packed(b"a,b\n1,2\n3,4\n");
    check(
        &file[..file.len() - 9],
        expect![[r#"
        []
        InvalidArgument: The file is compressed with gzip and damaged, or cut off (corrupt gzip stream does not have a matching checksum): compress it again, or unpack it first.
    "#]],
    );
    let checksum = file.len() - 8;
    file[checksum] ^= 1;
    check(
        &file,
        expect![[r#"
        []
        InvalidArgument: The file is compressed with gzip and damaged, or cut off (corrupt gzip stream does not have a matching checksum): compress it again, or unpack it first.
    "#]],
    );
}

#[test]
fn a_text_that_is_not_utf8_is_read_in_its_encoding_and_it_is_said() {
    check(
        b"Datum;Ort;Wert\n01.02.2024;K\xf6ln;3,75\n02.02.2024;M\xfcnchen;4,10\n",
        expect![[r#"
            [Datum Time, Ort Text, Wert Float]
            "01.02.2024" "Köln" "3.75"
            "02.02.2024" "München" "4.10"
            2:13 The file is read as Windows-1252, because the byte 0xf6 is not UTF-8: choose the encoding of the file if texts look wrong.
            2:17 Wert is read as numbers with a decimal comma: "3,75" is 3.75.
        "#]],
    );
    // The header is no exception.
    check(
        b"Pr\xeat\xe9 le,Livre\n2024-01-01,x\n",
        expect![[r#"
            [Prêté le Time, Livre Text]
            "2024-01-01" "x"
            1:3 The file is read as Windows-1252, because the byte 0xea is not UTF-8: choose the encoding of the file if texts look wrong.
        "#]],
    );
    // A chosen encoding is not mentioned.
    check_with(
        &chosen(TextEncoding::Windows1250),
        b"a,b\n1,\xb3\xf3d\xbc\n",
        expect![[r#"
        [a Int, b Text]
        "1" "łódĽ"
    "#]],
    );
    check_with(
        &chosen(TextEncoding::Utf8),
        b"a,b\n1,\xb3\n2,c\n",
        expect![[r#"
        [a Int, b Text]
        "2" "c"
        2:3 The byte 0xb3 is not UTF-8: choose the encoding of the file, or save it as UTF-8.
        bad lines: 1
    "#]],
    );
}

#[test]
fn utf16_is_read_with_and_without_a_mark() {
    let units =
        |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
    let csv = "a,b\n1,K\u{f6}ln \u{1f600}\n";
    for bytes in [
        units(&format!("\u{feff}{csv}"), u16::to_le_bytes),
        units(&format!("\u{feff}{csv}"), u16::to_be_bytes),
        units(csv, u16::to_le_bytes),
        units(csv, u16::to_be_bytes),
    ] {
        for slice in [1, 2, 3, 7, 1_000] {
            let (text, name) = text(&bytes, TextEncoding::Detect, slice);
            assert_eq!((String::from_utf8(text).unwrap().as_str(), name.is_some()), (csv, true), "{slice}");
        }
    }
}

#[test]
fn every_encoding_that_can_be_chosen_is_known() {
    for encoding in TextEncoding::ALL.into_iter().skip(1) {
        let known = encoding_rs::Encoding::for_label(encoding.label().as_bytes());
        assert_eq!(known.map(encoding_rs::Encoding::name), Some(encoding.label()));
    }
}

#[test]
fn languages_are_told_apart() {
    let found = |text: &str, encoding: &'static encoding_rs::Encoding| {
        let file = format!("id,what\n1,{text}\n");
        let (bytes, ..) = encoding.encode(&file);
        let (read, name) = self::text(&bytes, TextEncoding::Detect, 5);
        assert_eq!(String::from_utf8(read).unwrap(), file, "read as {name:?}");
    };
    found("Crème brûlée, Übung und Straße", encoding_rs::WINDOWS_1252);
    found("Номер заказа и его стоимость", encoding_rs::WINDOWS_1251);
    found("Номер заказа и его стоимость", encoding_rs::KOI8_R);
    found("東京都の天気予報です。こんにちは", encoding_rs::SHIFT_JIS);
    found("订单号和商品名称，客户地址在北京", encoding_rs::GBK);
    found("주문 번호와 상품 이름입니다", encoding_rs::EUC_KR);
}

#[test]
fn utf8_with_a_few_wrong_bytes_stays_utf8() {
    let csv = [&"a,b\n1,K\u{f6}ln\n2,M\u{fc}nchen\n".repeat(50).into_bytes()[..], b"3,x\xff\n"].concat();
    assert_eq!(text(&csv, TextEncoding::Detect, 64).1, None);
    let late = ["a,b\n".as_bytes(), &b"1,2\n".repeat(50_000), b"3,\xfc\n"].concat();
    assert_eq!(text(&late, TextEncoding::Detect, 1_000).1, Some("windows-1252"));
}
