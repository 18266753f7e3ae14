use super::*;

fn parts(method: Method, uri: &str) -> Parts {
    Request::builder().method(method).uri(uri).body(()).unwrap().into_parts().0
}

#[test]
fn only_posts_to_a_dialects_path_are_guarded() {
    for path in
        ["/v1/chat/completions", "/chat/completions/", "/openai/deployments/d/chat/completions?api-version=1"]
    {
        assert_eq!(guarded(&parts(Method::POST, path)), Some(Dialect::Chat), "{path}");
        assert_eq!(guarded(&parts(Method::GET, path)), None, "{path}");
    }
    for path in ["/v1/embeddings", "/v1/completions", "/v1/chat/completions/c1", "/x?p=/chat/completions"] {
        assert_eq!(guarded(&parts(Method::POST, path)), None, "{path}");
    }
}

#[test]
fn an_api_that_is_or_will_be_guarded_has_no_websocket() {
    for path in ["/v1/responses", "/responses/", "/v1/messages", "/v1/chat/completions"] {
        assert!(speaks_http_only(path), "{path}");
    }
    for path in ["/v1/realtime", "/v1/responses/r1", "/v1/message", "/"] {
        assert!(!speaks_http_only(path), "{path}");
    }
}

#[tokio::test]
async fn a_panic_becomes_an_error_of_ours() {
    let panics = async {
        tokio::task::yield_now().await;
        assert!(std::hint::black_box(false), "a bug");
        Ok(1)
    };
    assert_eq!(caught(pin!(panics)).await.unwrap_err().code(), "internal");
    assert_eq!(caught(pin!(async { Ok(1) })).await.unwrap(), 1);
}
