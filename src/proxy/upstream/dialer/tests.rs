use hyper_util::client::legacy::connect::HttpConnector;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

fn dialer(provider: &str, proxies: &Matcher) -> Result<Dialer, UnknownProxy> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    Dialer::new(tcp, &provider.parse().unwrap(), proxies)
}

fn goes_through(provider: &str, proxies: &Matcher) -> bool {
    matches!(dialer(provider, proxies), Ok(Dialer::Through(_)))
}

#[test]
fn only_what_is_elsewhere_and_secured_goes_through_the_proxy() {
    let proxies = Matcher::builder().all("http://proxy:3128").no("near.test,10.0.0.0/8").build();
    for (provider, through) in [
        ("https://api.openai.com/v1", true),
        ("https://far.near.test.example/v1", true),
        ("https://11.0.0.1/v1", true),
        ("https://near.test/v1", false),
        ("https://very.near.test/v1", false),
        ("https://10.1.2.3/v1", false),
        ("http://api.openai.com/v1", false),
        ("https://localhost:8443/v1", false),
        ("https://127.0.0.2/v1", false),
        ("https://[::1]:8443/v1", false),
    ] {
        assert_eq!(goes_through(provider, &proxies), through, "{provider}");
    }
    assert!(!goes_through("https://api.openai.com/v1", &Matcher::builder().build()));
    assert!(!goes_through(
        "https://api.openai.com/v1",
        &Matcher::builder().http("http://proxy:3128").build()
    ));
}

#[test]
fn a_proxy_that_cannot_be_spoken_to_is_not_gone_around() {
    for scheme in ["https", "socks5", "socks5h"] {
        let proxies = Matcher::builder().https(format!("{scheme}://proxy:1080")).build();
        let refused = dialer("https://api.openai.com/v1", &proxies).unwrap_err();
        assert_eq!(refused, UnknownProxy(scheme.to_owned()));
    }
}

#[tokio::test]
async fn the_proxy_is_asked_for_the_provider_and_then_carries_bytes() {
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://user:pass@{}", proxy.local_addr().unwrap());
    let proxies = Matcher::builder().https(address).build();
    let mut dialer = dialer("https://provider.test:8443/v1", &proxies).unwrap();
    let served = async {
        let (mut stream, _) = proxy.accept().await.unwrap();
        let mut asked = vec![0; 4096];
        let length = stream.read(&mut asked).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").await.unwrap();
        String::from_utf8(asked[..length].to_vec()).unwrap()
    };
    let dialled = dialer.call("https://provider.test:8443/v1".parse().unwrap());
    let (asked, opened) = tokio::join!(served, dialled);
    assert_eq!(
        asked,
        "CONNECT provider.test:8443 HTTP/1.1\r\nHost: provider.test:8443\r\n\
         Proxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n"
    );
    drop(opened.unwrap());
}
