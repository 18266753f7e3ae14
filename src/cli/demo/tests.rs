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
    ");
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

#[tokio::test]
async fn fails_where_a_rule_is_missing() {
    let rules = RULES.split("\n[[tool]]\nname = [\"aliyun_api\"]").next().unwrap();
    assert_ne!(rules, RULES);
    let (differences, _) = shown(&rules.replace("\"lowercase\"", "\"collapse-space\"")).await;
    assert!(differences.iter().any(|found| found.starts_with("scene 1: ")), "{differences:?}");
}
