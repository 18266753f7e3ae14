//! The tools of the demo's agent. They do nothing but answer as the real ones would.

use serde::Deserialize;

/// What the agent offers, as it stands in its requests.
pub(super) const OFFERED: &str = r#"[{"type":"function","function":{"name":"git_prepare_worktree","description":"Prepares a worktree on a new branch.","parameters":{"type":"object","properties":{"branch_slug":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$","maxLength":48},"branch_kind":{"type":"string","enum":["feature","fix"]}},"required":["branch_slug","branch_kind"],"additionalProperties":false}}},{"type":"function","function":{"name":"aliyun_api","description":"Calls the cloud's API.","parameters":{"type":"object","properties":{"action":{"type":"string"},"type":{"type":"string"}},"required":["action","type"]}}}]"#;

/// A branch that Git has already.
const TAKEN: &str = "login";

/// A call that would have killed the agent's run.
#[derive(Debug, thiserror::Error)]
#[error("the tool {tool} raised on {arguments}: {problem}")]
pub(super) struct Raised {
    tool: String,
    arguments: String,
    problem: String,
}

#[derive(Deserialize)]
struct Worktree {
    branch_slug: String,
    branch_kind: String,
}

#[derive(Deserialize)]
struct Request {
    action: String,
    r#type: String,
}

/// Runs a tool. One that gets what it cannot take raises, as in many an agent.
pub(super) fn run(tool: &str, arguments: &str) -> Result<String, Raised> {
    let raised = |problem| Raised { tool: tool.to_owned(), arguments: arguments.to_owned(), problem };
    match tool {
        "git_prepare_worktree" => {
            let worktree = read::<Worktree>(arguments).map_err(raised)?;
            if !is_slug(&worktree.branch_slug) {
                return Err(raised("bad slug".to_owned()));
            }
            if !["feature", "fix"].contains(&worktree.branch_kind.as_str()) {
                return Err(raised("bad kind".to_owned()));
            }
            Ok(match worktree.branch_slug.as_str() {
                TAKEN => format!("HTTP 422: the branch {TAKEN} exists already."),
                slug => format!("{slug}: ready"),
            })
        }
        "aliyun_api" => Ok(aliyun(&read::<Request>(arguments).map_err(raised)?)),
        _ => Err(raised("there is no such tool".to_owned())),
    }
}

fn read<'a, T: Deserialize<'a>>(arguments: &'a str) -> Result<T, String> {
    serde_json::from_str(arguments).map_err(|error| error.to_string())
}

fn is_slug(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= 48 && text.split('-').all(word)
}

fn aliyun(request: &Request) -> String {
    let answer = match (request.action.as_str(), request.r#type.as_str()) {
        ("ListResourceTypes", _) => {
            r#"{"ResourceTypes":["ALIYUN::ECS::Instance","ALIYUN::RDS::DBInstance"]}"#
        }
        (_, "ALIYUN::Milvus::Instance") => {
            r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"The resource type ALIYUN::Milvus::Instance is unknown."}"#
        }
        _ => r#"{"Stacks":[]}"#,
    };
    answer.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_slug_raises_and_a_good_one_runs() {
        let worktree = |slug: &str| {
            run("git_prepare_worktree", &format!(r#"{{"branch_slug":"{slug}","branch_kind":"fix"}}"#))
        };
        assert_eq!(worktree("a-b2").unwrap(), "a-b2: ready");
        assert_eq!(worktree("login").unwrap(), "HTTP 422: the branch login exists already.");
        for slug in ["", "a--b", "-a", "a-", "A", &"a".repeat(49)] {
            assert!(worktree(slug).is_err(), "{slug}");
        }
        assert!(run("git_prepare_worktree", "{").is_err());
        assert!(run("rm", "{}").is_err());
    }

    #[test]
    fn the_cloud_knows_no_milvus() {
        let ask = |action: &str, kind: &str| {
            run("aliyun_api", &format!(r#"{{"action":"{action}","type":"{kind}"}}"#)).unwrap()
        };
        assert!(ask("GetStack", "ALIYUN::Milvus::Instance").contains("\"status\":400"));
        assert!(ask("ListResourceTypes", "ALIYUN::*").contains("ALIYUN::RDS"));
        assert!(ask("GetStack", "ALIYUN::ECS::Instance").contains("Stacks"));
    }

    #[test]
    fn what_is_offered_is_json() {
        let tools: Vec<&serde_json::value::RawValue> = serde_json::from_str(OFFERED).unwrap();
        assert_eq!(tools.len(), 2);
    }
}
