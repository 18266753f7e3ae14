use super::*;

const CHAT: &[&str] = &["chat", "completions"];

#[test]
fn a_path_is_read_as_the_most_lenient_server_would() {
    for path in [
        "/chat/completions",
        "/v1/chat/completions/",
        "/openai/deployments/m/chat/completions",
        "/v1/%63hat/completions",
        "/v1/chat%2Fcompletions",
        "/v1/chat%2fcompletion%73//",
        "/V1/Chat/Completions",
        "/v1//chat///completions",
        "/v1/chat/./completions",
        "/v1/x/%2E%2e/chat/completions",
        "/v1/chat;v=1/completions;x",
        "/v1/chat%5Ccompletions",
        "/v1/chat/completions%20",
        "chat/completions",
    ] {
        assert!(ends_in(path, CHAT), "{path}");
    }
}

#[test]
fn another_path_is_another_path() {
    for path in [
        "/v1/completions",
        "/v1/chat",
        "/v1/chat/completions/chatcmpl-1",
        "/v1/chat/completions/..",
        "/v1/xchat/completions",
        "/v1/chat/completions2",
        "/v1/chat-completions",
        "/v1/%2563hat/completions",
        "/v1/%6/hat/completions",
        "/v1/chat/completion%",
        "/v1/chat/%zzcompletions",
        "/",
        "",
        "*",
    ] {
        assert!(!ends_in(path, CHAT), "{path}");
    }
}
