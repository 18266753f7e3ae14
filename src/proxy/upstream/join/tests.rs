use proptest::prelude::*;

use super::*;

const TABLE: &[(&str, &str, &str)] = &[
    // The same, however the slashes and the version are shared out.
    ("https://api.openai.com/v1", "/chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com/v1", "/v1/chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com/v1/", "/v1/chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com/v1//", "//chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com", "/v1/chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com/", "//v1/chat/completions", "/v1/chat/completions"),
    ("https://api.openai.com/v1", "/v1", "/v1"),
    ("https://api.openai.com/v1", "/v1/", "/v1"),
    ("https://api.openai.com/v1", "/", "/v1"),
    ("https://api.openai.com", "/", "/"),
    // Nothing is added.
    ("https://api.deepseek.com", "/chat/completions", "/chat/completions"),
    // A prefix before the version.
    ("https://openrouter.ai/api/v1", "/chat/completions", "/api/v1/chat/completions"),
    ("https://openrouter.ai/api/v1", "/v1/chat/completions", "/api/v1/chat/completions"),
    ("https://openrouter.ai/api/v1", "/api/v1/chat/completions", "/api/v1/chat/completions"),
    ("https://host/api", "/v1/chat/completions", "/api/v1/chat/completions"),
    ("https://host/api", "/api/v1/x", "/api/api/v1/x"),
    // Another version, and one in the middle.
    ("https://open.bigmodel.cn/api/paas/v4", "/v1/chat/completions", "/api/paas/v4/chat/completions"),
    ("https://google/v1beta/openai/", "/v1/chat/completions", "/v1beta/openai/chat/completions"),
    ("https://google/v1beta/openai", "/chat/completions", "/v1beta/openai/chat/completions"),
    ("https://google/v1beta", "/v1beta/models/m:generate", "/v1beta/models/m:generate"),
    ("https://host/v1", "/v2/x", "/v1/v2/x"),
    // Looks like a version, and is none.
    ("https://host/vision", "/v1/x", "/vision/v1/x"),
    ("https://host/v", "/v1/x", "/v/v1/x"),
    ("https://host/v1", "/v1x/y", "/v1/v1x/y"),
    ("https://host/v1", "/v10/y", "/v1/v10/y"),
    // Azure: path and query stay.
    (
        "https://x.openai.azure.com",
        "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        "/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    (
        "https://x.openai.azure.com/openai/v1/",
        "/v1/chat/completions?api-version=preview",
        "/openai/v1/chat/completions?api-version=preview",
    ),
    // What is in the query or escaped is nobody's business.
    ("https://host/v1", "/v1/files?after=/v1/x&q=%2Fv1", "/v1/files?after=/v1/x&q=%2Fv1"),
    ("https://host/v1", "/models/a%2Fb", "/v1/models/a%2Fb"),
    ("https://host/v1", "/models?", "/v1/models?"),
    ("https://host/v1", "/chat/completions/", "/v1/chat/completions/"),
    ("https://host/v1", "*", "/v1"),
];

fn joined(base: &str, asked: &str) -> String {
    join(&base.parse().unwrap(), &asked.parse().unwrap()).unwrap().to_string()
}

#[test]
fn base_and_path_meet() {
    for (base, asked, expected) in TABLE {
        assert_eq!(joined(base, asked), *expected, "{base} + {asked}");
    }
}

proptest! {
    #[test]
    fn never_panics_and_keeps_the_end_of_the_path(base in "(/[a-z0-9]{0,3}){0,3}", asked in "/[!-\"$->@-~]{0,20}") {
        let (Ok(base), Ok(asked)) = (format!("http://h{base}").parse::<Uri>(), asked.parse::<PathAndQuery>()) else {
            return Ok(());
        };
        let joined = join(&base, &asked).unwrap();
        prop_assert_eq!(joined.query(), asked.query());
        let last = asked.path().rsplit('/').next().unwrap();
        prop_assert!(is_version(last) || joined.path().ends_with(last));
    }

    /// Base URLs with and without a trailing slash are one.
    #[test]
    fn a_trailing_slash_changes_nothing(base in "(/[a-z0-9]{1,3}){0,3}", path in "(/[a-z0-9]{1,3}){1,3}") {
        let plain = format!("http://h{base}");
        prop_assert_eq!(joined(&plain, &path), joined(&format!("{plain}/"), &path));
    }
}
