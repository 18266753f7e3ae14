use super::*;

async fn shown(rules: &str) -> (Vec<String>, String) {
    let mut out = Vec::new();
    let differences = show(rules, Page { colour: false }, &mut out).await.unwrap();
    (differences, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn all_goes_as_told() {
    let (differences, told) = shown(RULES).await;
    assert_eq!(differences, [""; 0]);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let table = told.find("   the model wrote").unwrap();
    let end = told.find("\nPoint a real agent here").unwrap();
    insta::assert_snapshot!(told.get(table..end).unwrap().trim_end(), @r"
       the model wrote          the agent saw            the model saw
    1  PJ1-project-git-extend   pj1-project-git-extend   ready
    2  a--b                     –                        refused, with the reason
       a-b                      a-b                      ready
    3  GetStack                 GetStack                 400 ResourceTypeNotFound
       GetStack                 –                        refused, with the reason
       ListResourceTypes        ListResourceTypes        an answer
    4  api                      api                      ready
       web--ui                  –                        refused, with the reason
       docs                     docs                     ready
       web-ui                   web-ui                   ready
    5  ListResourceTypes        ListResourceTypes        an answer
    6  login                    login                    told to mend its mistake
       login-page               login-page               ready
    7  CreateStack              no result                interrupted: look first
       ListStacks               ListStacks               an answer
    ");
}

/// What is told of a scene.
fn scene(told: &str, number: usize) -> &str {
    let from = told.find(&format!("\n{number}. ")).unwrap();
    let rest = told.get(from + 1..).unwrap();
    let to = rest.find(&format!("\n{}. ", number + 1)).or_else(|| rest.find("\n   the model wrote")).unwrap();
    rest.get(..to).unwrap().trim_end()
}

#[tokio::test]
async fn tells_of_an_error_that_the_model_can_mend() {
    insta::assert_snapshot!(scene(&shown(RULES).await.1, 6), @r#"
    6. An error that helps
    The tool takes the call and fails. A rule says that this is for the model to
    mend, and so it reads.

      user     Open a branch to fix the login page.
      model    A branch for the fix.
        calls  git_prepare_worktree {"branch_slug":"login","branch_kind":"fix"}
      proxy    login: goes on as written
      agent    runs login → HTTP 422: the branch login exists already.
      proxy    login: the model reads: Error: HTTP 422: the branch login exists
               already. Please fix your mistakes.
      model    Another name, then.
        calls  git_prepare_worktree {"branch_slug":"login-page","branch_kind":"fix"}
      proxy    login-page: goes on as written
      agent    runs login-page → ready
      model    The branch login-page is ready.
    "#);
}

#[tokio::test]
async fn tells_of_a_result_that_is_lost() {
    insta::assert_snapshot!(scene(&shown(RULES).await.1, 7), @r#"
    7. A lost result
    A turn was cancelled, and a call has no result. Providers refuse such a history,
    and every later request with it. It is mended: the session goes on.

      user     Create the stack of the web servers.
      model    calls aliyun_api
               {"action":"CreateStack","type":"ALIYUN::ECS::Instance"}
      agent    is stopped before CreateStack has a result
      user     I pressed stop. Is it there now?
      provider would refuse this: An assistant message with 'tool_calls' must be
               followed by tool messages responding to each 'tool_call_id'. The
               following tool_call_ids did not have response messages:
               call_cancelled
      proxy    CreateStack: gets a result. The model reads: This call of aliyun_api
               was interrupted: its result was not recorded and its outcome is
               unknown. Check what it did before you repeat it.
      model    That call was cut off. First I look what became of it.
        calls  aliyun_api {"action":"ListStacks","type":"ALIYUN::ECS::Instance"}
      proxy    ListStacks: goes on as written
      agent    runs ListStacks → {"Stacks":[]}
      model    Nothing was created. Shall I begin again?
    "#);
}

#[tokio::test]
async fn twice_the_same_is_told() {
    assert_eq!(shown(RULES).await.1, shown(RULES).await.1);
}

#[tokio::test]
async fn fails_where_the_proxy_does_not_do_its_work() {
    let (differences, told) = shown("[guard]\nmode = \"observe\"\n").await;
    assert!(differences[0].contains("scene 1: the tool git_prepare_worktree raised on"), "{differences:?}");
    assert!(differences.iter().any(|found| found.contains("never served")));
    assert!(!told.contains("Point a real agent here"), "{told}");
    let mut complaint = Vec::new();
    assert_eq!(end(&differences, &mut complaint).unwrap(), Exit::Ours);
    let complaint = String::from_utf8(complaint).unwrap();
    assert_eq!(complaint.matches("not as told: ").count(), differences.len());
    assert!(complaint.starts_with("not as told: scene 1: "), "{complaint}");
}

#[test]
fn ends_well_only_where_nothing_differs() {
    let mut out = Vec::new();
    assert_eq!(end(&[], &mut out).unwrap(), Exit::Fine);
    assert_eq!(out, b"");
}

#[tokio::test]
async fn fails_where_the_model_is_not_told_beforehand() {
    let (rules, _) = RULES.split_once("[[constraint]]").unwrap();
    let (differences, _) = shown(rules).await;
    let [difference] = differences.as_slice() else { panic!("{differences:?}") };
    assert!(difference.starts_with("scene 5: the model was to be told \"Ask for"), "{difference}");
}

/// The strict provider refuses the history, and the session would be dead.
#[tokio::test]
async fn fails_where_a_lost_result_is_not_mended() {
    let (differences, told) = shown(&format!("{RULES}\n[guard.history]\nmend = false\n")).await;
    assert!(differences[0].starts_with("scene 7: the agent got 400 Bad Request: "), "{differences:?}");
    assert!(differences[0].contains("did not have response messages: call_cancelled"), "{differences:?}");
    assert!(!told.contains("the agent saw"), "{told}");
    assert_eq!(end(&differences, &mut Vec::new()).unwrap(), Exit::Ours);
}

#[tokio::test]
async fn fails_where_an_error_is_not_told_as_one_to_mend() {
    for (rule, other) in [("as = \"correctable\"", "as = \"failed\""), ("status = [422]", "status = [409]")] {
        assert_eq!(RULES.matches(rule).count(), 1);
        let (differences, _) = shown(&RULES.replace(rule, other)).await;
        assert!(differences[0].starts_with("scene 6: the agent got 422 "), "{differences:?}");
        assert_eq!(end(&differences, &mut Vec::new()).unwrap(), Exit::Ours);
    }
}

#[test]
fn the_readme_lists_all_scenes() {
    let listed = include_str!("../../../README.md").lines().filter_map(|line| line.split_once(". **"));
    let listed = listed.filter_map(|(number, rest)| Some((number, rest.split_once("**")?.0)));
    let scenes: Vec<_> =
        SCENES.iter().enumerate().map(|(at, scene)| ((at + 1).to_string(), scene.title)).collect();
    let scenes: Vec<_> = scenes.iter().map(|(number, title)| (number.as_str(), *title)).collect();
    assert_eq!(listed.collect::<Vec<_>>(), scenes);
}

#[tokio::test]
async fn fails_where_a_rule_is_missing() {
    let rules = RULES.split("\n[[tool]]\nname = [\"aliyun_api\"]").next().unwrap();
    assert_ne!(rules, RULES);
    let (differences, _) = shown(&rules.replace("\"lowercase\"", "\"collapse-space\"")).await;
    assert!(differences.iter().any(|found| found.starts_with("scene 1: ")), "{differences:?}");
}
