//! Compressed request bodies: read and judged, and sent on plain.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::{Fact, Judged};
use remand::replay::{Script, Step};

use crate::scene::{Scene, request, user};
use crate::watched::{Watched, verdicts};

const COUNT: (&str, &str) =
    ("count", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);

/// 16 MiB of spaces, as Node's zlib writes them.
const BROTLI_BOMB: &[u8] =
    b"\xcb\xff\xff\x3f\xf8\x25\x40\xe2\xb1\x40\x20\xf7\xfe\x2f\xff\xff\xff\xf0\x4b\x00\xc4\x61\x11\x80\xee\xfd\x1f";

type Encode = fn(&[u8]) -> Vec<u8>;

/// Each encoding as it is named, and one that is two.
const ENCODINGS: [(&str, Encode); 9] = [
    ("identity", <[u8]>::to_vec),
    ("gzip", gzip),
    ("X-GZip", gzip),
    ("deflate", zlib),
    ("deflate", raw_deflate),
    ("br", brotli),
    ("zstd", zstd),
    ("gzip, zstd", |body| zstd(&gzip(body))),
    ("br,gzip", |body| gzip(&brotli(body))),
];

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// What the name says, and few take it for.
fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zstd(body: &[u8]) -> Vec<u8> {
    zstd::encode_all(body, 3).unwrap()
}

/// One block that is stored as it is, and the end (RFC 7932, section 9.2).
fn brotli(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() - 1).unwrap();
    assert!(length < 1 << 16, "one block holds no more");
    let [a, b, c, _] = (1 << 20 | length << 4).to_le_bytes();
    [&[a, b, c], body, &[0x03]].concat()
}

/// A request in which compression has something to do.
fn question(stream: bool) -> String {
    let long = user(&"How many? ".repeat(200));
    request(&[&long], &[COUNT], stream)
}

#[tokio::test]
async fn each_is_read_and_judged_and_goes_on_plain() {
    for (name, encode) in ENCODINGS {
        for stream in [true, false] {
            let script = Script::new()
                .step(Step::new().call("count", r#"{"n":"five"}"#))
                .step(Step::new().on_result("Please fix").call("count", r#"{"n":"5"}"#));
            let scene = Scene::new(script, "").await;
            let plain = question(stream);
            let got = scene.chat(&[("content-encoding", name)], encode(plain.as_bytes())).await;
            assert_eq!(got.message().calls[0].2, r#"{"n":5}"#, "{name}");
            let requests = scene.provider.requests();
            assert_eq!((requests.len(), requests[0].text()), (2, plain.as_str()), "{name}");
            for request in requests {
                assert!(!request.headers.contains_key("content-encoding"), "{name}");
                assert!(!request.headers.contains_key("transfer-encoding"), "{name}");
                assert_eq!(request.headers["content-length"], request.body.len().to_string().as_str());
            }
        }
    }
}

#[tokio::test]
async fn encodings_may_be_named_in_two_headers() {
    let scene = Scene::new(Script::new().step(Step::new().say("Five.")), "").await;
    let plain = question(false);
    let headers = [("content-encoding", "gzip"), ("content-encoding", "zstd")];
    let got = scene.chat(&headers, zstd(&gzip(plain.as_bytes()))).await;
    assert_eq!((got.message().text.as_str(), scene.sent()), ("Five.", vec![plain]));
}

#[tokio::test]
async fn an_encoding_that_nobody_knows_is_refused() {
    for name in ["lzma", "compress", "gzip, lzma", "gzip;q=1", "gzip,gzip,gzip,gzip,gzip"] {
        for stream in [true, false] {
            let scene = Scene::new(Script::new(), "").await;
            let got = scene.chat(&[("content-encoding", name)], gzip(question(stream).as_bytes())).await;
            got.assert_ours(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding");
            assert_eq!(got.headers["x-should-retry"], "false");
            assert!(scene.sent().is_empty());
        }
    }
}

/// The provider may know better what it is; what it answers is judged as far as that goes without the request.
#[tokio::test]
async fn what_is_not_in_its_encoding_goes_on_as_it_came_unread() {
    for stream in [true, false] {
        let plain = question(stream).into_bytes();
        let cut = |encoded: Vec<u8>| encoded[..encoded.len() - 5].to_vec();
        for (name, body) in [
            ("gzip", plain.clone()),
            ("zstd", gzip(&plain)),
            ("br", zstd(&plain)),
            ("gzip", cut(gzip(&plain))),
            ("zstd", [zstd(&plain), b"more".to_vec()].concat()),
            ("gzip, zstd", gzip(&zstd(&plain))),
        ] {
            let calls =
                Step::new().call_as("a", "count", r#"{"n": 5}"#).call_as("b", "count", r#"{"n": fi}"#);
            let watched = Watched::new(Script::new().step(calls), "", "").await;
            let got = watched.scene.chat(&[("content-encoding", name)], body.clone()).await;
            let calls: Vec<_> = got.message().calls.into_iter().map(|call| call.0).collect();
            assert_eq!((got.status, calls), (StatusCode::OK, vec!["a".to_owned()]), "{name}");
            let requests = watched.scene.provider.requests();
            assert_eq!((requests.len(), &requests[0].body), (1, &body.into()), "{name}");
            assert_eq!(requests[0].headers["content-encoding"], name);
            assert_eq!(requests[0].headers["accept-encoding"], "identity");
            let facts = watched.facts().await;
            let why = |fact: &Fact| matches!(fact, Fact::Unjudged { reason: Reason::Uninspected, detail } if detail.contains("not valid"));
            assert!(why(&facts[0]), "{facts:?}");
            let unreadable = (Judged::Refused, vec![Reason::Unreadable]);
            assert_eq!(verdicts(&facts), [(Judged::Forwarded, vec![]), unreadable], "{name}");
        }
    }
}

#[tokio::test]
async fn what_would_grow_beyond_the_limit_is_refused() {
    let spaces = vec![b' '; 4 << 20];
    for (name, bomb) in [
        ("gzip", gzip(&spaces)),
        ("deflate", zlib(&spaces)),
        ("deflate", raw_deflate(&spaces)),
        ("br", BROTLI_BOMB.to_vec()),
        ("zstd", zstd(&spaces)),
        ("zstd, gzip", gzip(&zstd(&spaces))),
        ("gzip, gzip", gzip(&gzip(&spaces))),
    ] {
        assert!(bomb.len() < 1 << 16, "{name} holds {}", bomb.len());
        let scene = Scene::with(Script::new(), "max_body = \"1MiB\"", "").await;
        let got = scene.chat(&[("content-encoding", name)], bomb).await;
        got.assert_ours(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large");
        assert_eq!(got.headers["x-should-retry"], "false");
        assert!(scene.sent().is_empty(), "{name}");
    }
}

#[tokio::test]
async fn the_limit_itself_is_not_too_large() {
    let plain = question(false);
    let listen = |less: usize| format!("max_body = {}", plain.len() - less);
    for (name, encode) in ENCODINGS {
        let say = || Script::new().step(Step::new().say("Five."));
        // What is stored as it is, is larger than it reads: the limit holds for both.
        let fits = !name.contains("br");
        let scene = Scene::with(say(), &listen(0), "").await;
        let got = scene.chat(&[("content-encoding", name)], encode(plain.as_bytes())).await;
        if fits {
            assert_eq!(got.message().text, "Five.", "{name}");
        } else {
            got.assert_ours(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large");
        }
        let scene = Scene::with(say(), &listen(1), "").await;
        let got = scene.chat(&[("content-encoding", name)], encode(plain.as_bytes())).await;
        got.assert_ours(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large");
    }
}
