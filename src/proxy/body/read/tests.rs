use http::HeaderValue;
use http_body::Frame;
use http_body_util::Full;

use super::*;
use crate::proxy::body::{Driven, FrameResult};

fn pieces(pieces: &[&'static [u8]]) -> Driven {
    let pieces = pieces.to_vec();
    Driven::new(1, |frames| async move {
        for piece in pieces {
            let frame: FrameResult = Ok(Frame::data(Bytes::from_static(piece)));
            if frames.send(frame).await.is_err() {
                break;
            }
        }
        Ok(())
    })
}

fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
    list.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap())).collect()
}

/// The body as it reads, where it can be read.
async fn plain<B>(body: B, headers: &HeaderMap, max: usize) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    match read(body, headers, max).await? {
        Whole::Plain(bytes) => Ok(bytes),
        Whole::Encoded { .. } => panic!("it is not in its encoding"),
    }
}

#[tokio::test]
async fn one_piece_is_not_copied() {
    let body = Bytes::from_static(b"{\"messages\":[]}");
    let read = plain(Full::new(body.clone()), &HeaderMap::new(), 64).await.unwrap();
    assert_eq!(read.as_ptr(), body.as_ptr());
}

#[tokio::test]
async fn pieces_are_joined() {
    let headers = headers(&[("content-length", "6")]);
    assert_eq!(plain(pieces(&[b"ab", b"", b"cd", b"ef"]), &headers, 6).await.unwrap(), "abcdef");
    assert_eq!(plain(pieces(&[]), &HeaderMap::new(), 6).await.unwrap(), "");
}

#[tokio::test]
async fn a_length_that_lies_does_no_harm() {
    let lies = headers(&[("content-length", "1")]);
    assert_eq!(plain(pieces(&[b"ab", b"cd"]), &lies, 6).await.unwrap(), "abcd");
}

#[tokio::test]
async fn the_limit_is_the_last_size_that_is_read() {
    assert!(plain(pieces(&[b"abc", b"def"]), &HeaderMap::new(), 6).await.is_ok());
    let failure = plain(pieces(&[b"abc", b"defg"]), &HeaderMap::new(), 6).await.unwrap_err();
    assert_eq!(failure.code(), "body_too_large");
}

#[tokio::test(start_paused = true)]
async fn a_promised_size_beyond_the_limit_is_refused_before_the_agent_sends() {
    let unsent = || Driven::new(1, |_| std::future::pending());
    let asks_first = headers(&[("content-length", "7"), ("expect", "100-continue")]);
    let begun = tokio::time::Instant::now();
    let failure = plain(unsent(), &asks_first, 6).await.unwrap_err();
    assert_eq!((failure.code(), begun.elapsed()), ("body_too_large", Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_may_come_in_for_a_while_and_no_longer() {
    let endless = Driven::new(1, |frames| async move {
        while frames.send(Ok(Frame::data(Bytes::from_static(b"abcd")))).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    });
    let begun = tokio::time::Instant::now();
    let failure = plain(endless, &HeaderMap::new(), 6).await.unwrap_err();
    assert_eq!(failure.code(), "body_too_large");
    assert!(begun.elapsed() < LINGER * 2);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_stops_sending_is_given_up() {
    let stalled = Driven::new(1, |_| std::future::pending());
    assert_eq!(plain(stalled, &HeaderMap::new(), 6).await.unwrap_err().code(), "unreadable_body");
}

#[tokio::test]
async fn a_body_that_breaks_off_cannot_be_read() {
    let broken = Driven::new(1, |_| async { Err(Failure::Internal("reset".into())) });
    assert_eq!(plain(broken, &HeaderMap::new(), 6).await.unwrap_err().code(), "unreadable_body");
}

#[tokio::test]
async fn an_encoded_body_is_decoded() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"{\"stream\":true}").unwrap();
    let body = Bytes::from(gzip.finish().unwrap());
    let encoded = headers(&[("content-encoding", "gzip")]);
    assert_eq!(plain(Full::new(body.clone()), &encoded, 64).await.unwrap(), "{\"stream\":true}");
    assert_eq!(plain(Full::new(body.clone()), &encoded, 14).await.unwrap_err().code(), "body_too_large");
}

#[tokio::test]
async fn a_body_that_is_not_in_its_encoding_stays_as_it_came() {
    for (encoding, bytes) in
        [("gzip", &b"{\"messages\":[]}"[..]), ("zstd", b"\x28\xb5\x2f\xfd"), ("br", b"\xff\xff")]
    {
        let whole =
            read(Full::new(Bytes::from_static(bytes)), &headers(&[("content-encoding", encoding)]), 64).await;
        let Ok(Whole::Encoded { bytes: kept, why }) = whole else { panic!("{whole:?}") };
        assert_eq!((kept, why.to_string()), (bytes.into(), format!("the body is not valid {encoding}")));
    }
}

#[tokio::test]
async fn an_unknown_encoding_is_refused_and_identity_is_none() {
    let body = || Full::new(Bytes::from_static(b"ab"));
    let unknown = headers(&[("content-encoding", "lzma")]);
    assert_eq!(plain(body(), &unknown, 64).await.unwrap_err().code(), "unsupported_encoding");
    assert_eq!(plain(body(), &headers(&[("content-encoding", "identity")]), 64).await.unwrap(), "ab");
}
