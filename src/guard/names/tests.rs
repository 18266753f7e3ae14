use super::*;
use crate::dialect::Dialect;

fn transcript(tools: &[&str], rest: &str) -> Transcript {
    let tools: Vec<String> =
        tools.iter().map(|name| format!(r#"{{"type":"function","function":{{"name":"{name}"}}}}"#)).collect();
    let body = format!(r#"{{"tools":[{}]{rest}}}"#, tools.join(","));
    Dialect::Chat.read(body.into()).unwrap()
}

fn resolve(name: &str, tools: &[&str]) -> Name {
    Catalogue::new(&transcript(tools, ""), &Rules::default()).resolve(name)
}

fn repaired(name: &str) -> Name {
    Name::Repaired(name.to_owned())
}

fn is_unknown(name: &Name) -> bool {
    matches!(name, Name::Unknown { .. })
}

#[test]
fn an_offered_name_is_known_as_it_stands() {
    for name in ["read_file", "functions.odd", "multi_tool_use.parallel", "a<|b"] {
        assert_eq!(resolve(name, &[name, "other"]), Name::Known, "{name}");
    }
}

#[test]
fn a_name_is_mended_where_it_means_one_tool() {
    for name in [
        "read_file<|channel|>commentary",
        "functions.read_file",
        "default_api.read_file",
        "tool:read_file",
        "functions.read_file<|constrain|>json",
        "Read_File",
        "readFile",
        "read-file",
        "read.file",
        "read file",
        "functions.ReadFile",
    ] {
        assert_eq!(resolve(name, &["write_file", "read_file"]), repaired("read_file"), "{name}");
    }
    assert_eq!(resolve("functions.run", &["functions_run"]), repaired("functions_run"));
}

#[test]
fn a_near_miss_is_not_mended() {
    for name in [
        "read_files",
        "file_read",
        "read",
        "my.read_file",
        "functionsXread_file",
        "<|constrain|>json",
        "read_fileread_file",
        "",
        "_",
    ] {
        assert!(is_unknown(&resolve(name, &["write_file", "read_file"])), "{name}");
    }
}

#[test]
fn a_name_that_could_mean_two_tools_is_not_mended() {
    let name = resolve("READ_FILE", &["readFile", "read_file"]);
    assert_eq!(name, Name::Unknown { nearest: vec!["readFile".into(), "read_file".into()] });
    assert_eq!(resolve("functions.readFile", &["readFile", "read_file"]), repaired("readFile"));
}

#[test]
fn a_tool_offered_twice_is_still_one_name() {
    assert_eq!(resolve("Read_File", &["read_file", "read_file"]), repaired("read_file"));
}

#[test]
fn names_the_nearest_tools_best_first_and_no_strangers() {
    let tools = ["get_user", "get_users", "delete_everything", "get_user_by_id", "get_user_name"];
    let Name::Unknown { nearest } = resolve("get_userz", &tools) else { unreachable!() };
    assert_eq!(nearest.len(), 3);
    assert_eq!(nearest[..2], ["get_user", "get_users"]);
    assert!(!nearest.contains(&"delete_everything".to_owned()));
    assert_eq!(resolve("weather", &["git_log"]), Name::Unknown { nearest: vec![] });
}

#[test]
fn a_name_without_end_costs_little() {
    let long = "read_file_".repeat(100_000);
    assert!(is_unknown(&resolve(&long, &["read_file", "write_file"])));
}

#[test]
fn knows_the_wrapper_in_its_forms_unless_it_is_offered() {
    for name in ["multi_tool_use.parallel", "functions.multi_tool_use.parallel", "multi_tool_use_parallel"] {
        assert_eq!(resolve(name, &["a"]), Name::Wrapper, "{name}");
    }
    assert!(is_unknown(&resolve("parallel", &["a"])));
    assert_eq!(resolve("multi_tool_use.parallel", &[]), Name::NoTools);
}

#[test]
fn without_tools_there_is_nothing_to_call() {
    assert_eq!(resolve("read_file", &[]), Name::NoTools);
    let forbidden = transcript(&["read_file"], r#","tool_choice":"none""#);
    assert_eq!(Catalogue::new(&forbidden, &Rules::default()).resolve("read_file"), Name::NoTools);
}

#[test]
fn in_an_open_catalogue_no_name_is_unknown() {
    let body = r#"{"tools":[{"type":"web_search"},{"type":"function","function":{"name":"read_file"}}]}"#;
    let open = Dialect::Chat.read(body.into()).unwrap();
    let rules = Rules::default();
    let catalogue = Catalogue::new(&open, &rules);
    assert_eq!(catalogue.resolve("web_search"), Name::Known);
    assert_eq!(catalogue.resolve("weather"), Name::Known);
    assert_eq!(catalogue.resolve("functions.read_file"), repaired("read_file"));
}

#[test]
fn without_repair_names_are_only_looked_up() {
    let mut rules = Rules::default();
    rules.calls.repair = false;
    let offered = transcript(&["read_file"], "");
    let catalogue = Catalogue::new(&offered, &rules);
    assert_eq!(catalogue.resolve("read_file"), Name::Known);
    assert!(is_unknown(&catalogue.resolve("functions.read_file")));
    assert!(is_unknown(&catalogue.resolve("multi_tool_use.parallel")));
}

fn with_history(result: &str) -> Transcript {
    let history = format!(
        r#","messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":null,"tool_calls":[
        {{"id":"c1","type":"function","function":{{"name":"Old_Tool","arguments":"{{}}"}}}}]}},
        {{"role":"tool","tool_call_id":"c1","content":"{result}"}}]"#
    );
    transcript(&["new_tool", "old_tool"], &history)
}

#[test]
fn a_name_that_the_history_shows_at_work_is_known() {
    let worked = with_history("42 rows");
    let rules = Rules::default();
    assert_eq!(Catalogue::new(&worked, &rules).resolve("Old_Tool"), Name::Known);
    assert!(is_unknown(&Catalogue::new(&worked, &rules).resolve("Older")));
}

#[test]
fn a_name_that_only_failed_is_not() {
    let rules = Rules::default();
    for result in [
        "Error: Old_Tool is not a valid tool",
        "Error: Old_Tool was not run: no tool of that name is offered. Names to choose from: a. Please fix your mistakes.",
    ] {
        let failed = with_history(result);
        assert_eq!(Catalogue::new(&failed, &rules).resolve("Old_Tool"), repaired("old_tool"), "{result}");
    }
}
