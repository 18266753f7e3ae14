use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;

use super::{Decoder, Encoding, Undecodable, decode, parse};

const TEXT: &[u8] = b"data: {\"a\":\"hello hello hello\"}\n\n";

/// [`TEXT`], as Node's zlib writes it.
const BROTLI_TEXT: &str = "1b2000f88dd31db528ba97598b28e8f44d90b0bd1644945d80910758300e6596193abd00";

/// 16 MiB of spaces.
const BROTLI_BOMB: &str = "cbffff3ff82540e2b14020f7fe2ffffffff04b00c4611180eefd1f";

/// Two events, flushed after 14 and after 29 bytes.
const BROTLI_EVENTS: &str = "0b0580646174613a206f6e650a0a5000805f5ae18dee4e11a24a04600b03";

const ALL: [Encoding; 4] = [Encoding::Gzip, Encoding::Deflate, Encoding::Brotli, Encoding::Zstd];

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    hexadecimal.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

/// [`TEXT`] in an encoding.
fn encoded(encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Gzip => gzip(TEXT),
        Encoding::Deflate => zlib(TEXT),
        Encoding::Brotli => bytes(BROTLI_TEXT),
        Encoding::Zstd => zstd(TEXT),
    }
}

fn is_too_large(result: &Result<Vec<u8>, Undecodable>, most: usize) -> bool {
    matches!(result, Err(Undecodable::TooLarge { limit }) if *limit == most)
}

fn is_corrupt<T>(result: &Result<T, Undecodable>) -> bool {
    matches!(result, Err(Undecodable::Corrupt { .. }))
}

#[test]
fn reads_what_a_header_lists() {
    assert_eq!(parse("gzip").unwrap(), [Encoding::Gzip]);
    assert_eq!(parse(" GZIP , br").unwrap(), [Encoding::Gzip, Encoding::Brotli]);
    assert_eq!(parse("x-gzip,deflate,zstd").unwrap(), [Encoding::Gzip, Encoding::Deflate, Encoding::Zstd]);
    assert_eq!(parse("identity").unwrap(), []);
    assert_eq!(parse("").unwrap(), []);
    assert_eq!(parse(", ,").unwrap(), []);
    assert!(matches!(parse("gzip, lzma"), Err(Undecodable::Unknown(name)) if name == "lzma"));
    assert!(matches!(parse("gzip,gzip,gzip,gzip,gzip"), Err(Undecodable::Unknown(_))));
}

#[test]
fn each_encoding_is_undone() {
    for encoding in ALL {
        let decoded = decode(&[encoding], &encoded(encoding), TEXT.len());
        assert_eq!(decoded.unwrap(), TEXT, "{encoding:?}");
    }
    assert_eq!(decode(&[], TEXT, TEXT.len()).unwrap(), TEXT);
    assert_eq!(decode(&[Encoding::Deflate], &raw_deflate(TEXT), 100).unwrap(), TEXT);
}

#[test]
fn the_last_encoding_applied_is_undone_first() {
    let body = zstd(&gzip(TEXT));
    assert_eq!(decode(&[Encoding::Gzip, Encoding::Zstd], &body, 100).unwrap(), TEXT);
    assert!(is_corrupt(&decode(&[Encoding::Zstd, Encoding::Gzip], &body, 100)));
}

#[test]
fn one_byte_over_the_limit_is_too_large() {
    let limit = TEXT.len() - 1;
    for encoding in ALL {
        let decoded = decode(&[encoding], &encoded(encoding), limit);
        assert!(is_too_large(&decoded, limit), "{encoding:?}: {decoded:?}");
    }
    assert!(is_too_large(&decode(&[], TEXT, limit), limit));
    assert!(is_too_large(&decode(&[Encoding::Gzip, Encoding::Zstd], &zstd(&gzip(TEXT)), 10), 10));
}

#[test]
fn a_bomb_is_given_up_at_the_limit() {
    let spaces = vec![b' '; 2 << 20];
    let bombs = [gzip(&spaces), zlib(&spaces), bytes(BROTLI_BOMB), zstd(&spaces)];
    for (encoding, bomb) in ALL.into_iter().zip(bombs) {
        assert!(bomb.len() < 1 << 13, "{encoding:?}");
        assert!(is_too_large(&decode(&[encoding], &bomb, 1 << 20), 1 << 20), "{encoding:?}");
        let whole = decode(&[encoding], &bomb, 16 << 20).unwrap();
        let length = if encoding == Encoding::Brotli { 16 << 20 } else { spaces.len() };
        assert!(whole.len() == length && whole.iter().all(|byte| *byte == b' '), "{encoding:?}");
    }
}

#[test]
fn a_piece_that_grows_beyond_reason_is_too_large() {
    let bomb = zstd(&vec![0; 65 << 20]);
    let mut decoder = Decoder::new(&[Encoding::Zstd]);
    assert!(matches!(decoder.push(&bomb), Err(Undecodable::TooLarge { .. })));
    assert!(decoder.push(&[]).is_err());
    assert!(decoder.finish().is_err());
}

#[test]
fn a_cut_body_is_corrupt() {
    for encoding in ALL {
        let body = encoded(encoding);
        for length in 1..body.len() {
            let decoded = decode(&[encoding], &body[..length], 100);
            assert!(is_corrupt(&decoded), "{encoding:?} cut at {length}: {decoded:?}");
        }
    }
}

#[test]
fn a_body_without_bytes_is_empty() {
    for encoding in ALL {
        assert_eq!(decode(&[encoding], &[], 0).unwrap(), b"");
        assert_eq!(decode(&[encoding, encoding], &[], 0).unwrap(), b"");
    }
}

#[test]
fn a_row_of_members_or_frames_is_one_body() {
    assert_eq!(decode(&[Encoding::Gzip], &[gzip(b"a"), gzip(b""), gzip(b"b")].concat(), 9).unwrap(), b"ab");
    assert_eq!(decode(&[Encoding::Zstd], &[zstd(b"a"), zstd(b""), zstd(b"b")].concat(), 9).unwrap(), b"ab");
}

#[test]
fn bytes_after_the_end_are_corrupt() {
    for encoding in ALL {
        let mut body = encoded(encoding);
        body.extend(b"more");
        let decoded = decode(&[encoding], &body, 100);
        assert!(is_corrupt(&decoded), "{encoding:?}: {decoded:?}");
    }
}

#[test]
fn other_bytes_are_corrupt() {
    for encoding in ALL {
        let decoded = decode(&[encoding], b"{\"model\":\"m\",\"stream\":true}", 100);
        // Read as raw deflate, these bytes grow past the limit before they fail.
        assert!(is_corrupt(&decoded) || encoding == Encoding::Deflate, "{encoding:?}: {decoded:?}");
        assert!(decoded.is_err());
    }
    let mut body = gzip(TEXT);
    let at = body.len() - 8;
    body[at] ^= 1;
    assert!(is_corrupt(&decode(&[Encoding::Gzip], &body, 100)), "the checksum counts");
}

#[test]
fn the_error_names_the_encoding() {
    let error = decode(&[Encoding::Brotli], b"\xff\xff", 100).unwrap_err();
    assert_eq!(error.to_string(), "the body is not valid br");
    let error = decode(&[Encoding::Gzip], &gzip(TEXT), 3).unwrap_err();
    assert_eq!(error.to_string(), "the decoded body is larger than 3 bytes");
}

/// What comes out after each piece of a stream of two events that was flushed after each.
fn events(encoding: Encoding, pieces: &[Vec<u8>]) -> Vec<String> {
    let mut decoder = Decoder::new(&[encoding]);
    let mut given = Vec::new();
    for piece in pieces {
        given.push(String::from_utf8(decoder.push(piece).unwrap().to_vec()).unwrap());
    }
    assert_eq!(decoder.finish().unwrap(), "");
    given
}

/// The pieces that an encoder gives when it is flushed after each event.
fn flushed<E: Write>(
    mut encoder: E,
    written: fn(&mut E) -> Vec<u8>,
    finish: fn(E) -> Vec<u8>,
) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    for event in ["data: one\n\n", "data: two\n\n"] {
        encoder.write_all(event.as_bytes()).unwrap();
        encoder.flush().unwrap();
        pieces.push(written(&mut encoder));
    }
    pieces.push(finish(encoder));
    pieces
}

#[test]
fn what_was_flushed_is_given_out_at_once() {
    let expected = ["data: one\n\n", "data: two\n\n", ""];
    let gzip = flushed(
        GzEncoder::new(Vec::new(), Compression::default()),
        |encoder| std::mem::take(encoder.get_mut()),
        |encoder| encoder.finish().unwrap(),
    );
    assert_eq!(events(Encoding::Gzip, &gzip), expected);
    let zlib = flushed(
        ZlibEncoder::new(Vec::new(), Compression::default()),
        |encoder| std::mem::take(encoder.get_mut()),
        |encoder| encoder.finish().unwrap(),
    );
    assert_eq!(events(Encoding::Deflate, &zlib), expected);
    let raw = flushed(
        DeflateEncoder::new(Vec::new(), Compression::default()),
        |encoder| std::mem::take(encoder.get_mut()),
        |encoder| encoder.finish().unwrap(),
    );
    assert_eq!(events(Encoding::Deflate, &raw), expected);
    let zstd = flushed(
        zstd::Encoder::new(Vec::new(), 3).unwrap(),
        |encoder| std::mem::take(encoder.get_mut()),
        |encoder| encoder.finish().unwrap(),
    );
    assert_eq!(events(Encoding::Zstd, &zstd), expected);
    let brotli = bytes(BROTLI_EVENTS);
    let brotli = [brotli[..14].to_vec(), brotli[14..29].to_vec(), brotli[29..].to_vec()];
    assert_eq!(events(Encoding::Brotli, &brotli), expected);
}

#[test]
fn a_decoder_may_change_threads() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Decoder::new(&ALL));
}

proptest! {
    #[test]
    fn any_cut_of_a_body_gives_the_same_text(
        text in prop::collection::vec("[a-d]{0,40}", 0..30),
        cut in 1_usize..50,
        which in 0_usize..5,
    ) {
        let text = text.concat().into_bytes();
        let (encoding, body) = match which {
            0 => (Encoding::Gzip, [gzip(&text), gzip(&text)].concat()),
            1 => (Encoding::Deflate, zlib(&text)),
            2 => (Encoding::Deflate, raw_deflate(&text)),
            3 => (Encoding::Zstd, [zstd(&text), zstd(&text)].concat()),
            _ => (Encoding::Brotli, bytes(BROTLI_TEXT)),
        };
        let mut decoder = Decoder::new(&[encoding]);
        let mut decoded = Vec::new();
        for piece in body.chunks(cut) {
            decoded.extend(decoder.push(piece).unwrap());
        }
        decoded.extend(decoder.finish().unwrap());
        prop_assert_eq!(decoded, decode(&[encoding], &body, 1 << 20).unwrap());
    }

    #[test]
    fn any_bytes_are_read_without_harm(body in prop::collection::vec(any::<u8>(), 0..200), which in 0_usize..4) {
        let body = if which == 3 { [&b"\x28\xb5\x2f\xfd"[..], &body].concat() } else { body };
        let decoded = decode(&[ALL[which]], &body, 1000);
        prop_assert!(decoded.map_or(true, |decoded| decoded.len() <= 1000));
    }
}
