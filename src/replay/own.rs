//! What is answered without a script: the models that the script speaks of, embeddings, and that all is well.
//!
//! An embedding is made of a digest of its text: equal texts have equal vectors, and nothing else is meant by it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::answer::{self, Answer, to_json};
use super::script::Script;

/// How long a vector is where the request does not say.
const DIMENSIONS: usize = 1536;

/// What is asked for at most.
const MOST: usize = 4096;

#[derive(Serialize)]
struct List<T> {
    object: &'static str,
    data: Vec<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Tokens>,
}

#[derive(Serialize)]
struct Model<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

#[derive(Serialize)]
struct Tokens {
    prompt_tokens: usize,
    total_tokens: usize,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
struct Embedding {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

/// As the request wants it.
enum Vector {
    Numbers(Vec<f32>),
    /// Little-endian, in base64.
    Packed(String),
}

#[derive(Deserialize)]
struct Wanted {
    input: serde_json::Value,
    model: Option<String>,
    dimensions: Option<usize>,
    encoding_format: Option<String>,
}

/// The answer to a request that no step of the script is about, and what it is called.
pub(super) fn answer(script: &Script, path: &str, body: &[u8]) -> Option<(&'static str, Answer)> {
    if script.steps.iter().any(|step| step.when.path.as_ref().is_some_and(|end| path.ends_with(end.as_str())))
    {
        return None;
    }
    match path.trim_end_matches('/') {
        "/v1/models" | "/models" => Some(("models", answer::own(models(script)))),
        "/v1/embeddings" | "/embeddings" => {
            let answer = embeddings(body).map_or_else(|why| answer::refused(&why), answer::own);
            Some(("embeddings", answer))
        }
        "/health" | "/v1/health" => Some(("health", answer::own("{\"status\":\"ok\"}".to_owned()))),
        _ => None,
    }
}

fn models(script: &Script) -> String {
    let named = script.steps.iter().filter_map(|step| step.when.model.as_deref());
    let mut names: Vec<&str> = named.chain(script.require.model.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        names.push("replay");
    }
    let model = |id| Model { id, object: "model", created: answer::CREATED, owned_by: "replay" };
    to_json(&List { object: "list", data: names.into_iter().map(model).collect(), model: None, usage: None })
}

fn embeddings(body: &[u8]) -> Result<String, String> {
    let wanted: Wanted = serde_json::from_slice(body).map_err(|error| format!("no embeddings: {error}"))?;
    let dimensions = wanted.dimensions.unwrap_or(DIMENSIONS);
    if !(1..=MOST).contains(&dimensions) {
        return Err(format!("dimensions: expected 1 to {MOST}, got {dimensions}"));
    }
    // Tokens are a list of numbers; what is no list of texts or of tokens is one text.
    let inputs = match wanted.input {
        serde_json::Value::Array(items) if items.iter().any(|item| !item.is_number()) => items,
        one => vec![one],
    };
    if inputs.len() > MOST {
        return Err(format!("input: expected at most {MOST} texts, got {}", inputs.len()));
    }
    let texts = inputs.iter().map(|input| match input {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let texts: Vec<String> = texts.collect();
    let packed = wanted.encoding_format.as_deref() == Some("base64");
    let data = texts.iter().enumerate().map(|(index, text)| {
        let numbers = vector(text, dimensions);
        let embedding = if packed {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            Vector::Packed(STANDARD.encode(bytes))
        } else {
            Vector::Numbers(numbers)
        };
        Embedding { object: "embedding", index, embedding }
    });
    let tokens = texts.iter().map(|text| text.len().div_ceil(4)).sum();
    let usage = Some(Tokens { prompt_tokens: tokens, total_tokens: tokens });
    let model = Some(wanted.model.unwrap_or_else(|| "replay".to_owned()));
    Ok(to_json(&List { object: "list", data: data.collect(), model, usage }))
}

/// A vector of length 1 for a text.
fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let seed = Sha256::digest(text);
    let blocks = (0u32..).map(|block| Sha256::new().chain_update(seed).chain_update(block.to_le_bytes()));
    let bytes = blocks.flat_map(Digest::finalize);
    let numbers = bytes.map(|byte| f32::from(byte) - 127.5).take(dimensions);
    let numbers: Vec<f32> = numbers.collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

// === impl Vector ===

impl Serialize for Vector {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Numbers(numbers) => numbers.serialize(serializer),
            Self::Packed(text) => text.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::replay::{Step, When};

    fn embedded(body: &str) -> Value {
        serde_json::from_str(&embeddings(body.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn equal_texts_have_equal_vectors_of_length_one() {
        let answer = embedded(r#"{"input":["a","b","a"],"dimensions":64,"model":"e"}"#);
        let vectors: Vec<&Value> =
            answer["data"].as_array().unwrap().iter().map(|one| &one["embedding"]).collect();
        assert_eq!(vectors[0], vectors[2]);
        assert_ne!(vectors[0], vectors[1]);
        let numbers = vectors[0].as_array().unwrap();
        let square: f64 = numbers.iter().map(|number| number.as_f64().unwrap().powi(2)).sum();
        assert!(numbers.len() == 64 && (square - 1.0).abs() < 1e-5, "{square}");
        assert_eq!((&answer["model"], &answer["data"][2]["index"]), (&"e".into(), &2.into()));
    }

    #[test]
    fn packed_is_the_same_in_other_letters() {
        let plain = embedded(r#"{"input":"a","dimensions":2}"#)["data"][0]["embedding"].clone();
        let packed = embedded(r#"{"input":"a","dimensions":2,"encoding_format":"base64"}"#);
        let bytes = STANDARD.decode(packed["data"][0]["embedding"].as_str().unwrap()).unwrap();
        let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap()));
        assert_eq!(
            numbers.map(|number| number.to_string()).collect::<Vec<_>>(),
            [&plain[0], &plain[1]].map(Value::to_string)
        );
    }

    #[test]
    fn tokens_are_one_input_and_too_much_is_refused() {
        assert_eq!(embedded(r#"{"input":[1,2,3]}"#)["data"].as_array().unwrap().len(), 1);
        for body in [r#"{"input":"a","dimensions":0}"#, r#"{"input":"a","dimensions":5000}"#, "{}", ""] {
            assert!(embeddings(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn models_are_those_that_the_script_speaks_of() {
        let on = |model: &str| {
            Step::new().when(When { model: Some(model.to_owned()), ..When::default() }).say("a")
        };
        let script = Script::new().step(on("m")).step(on("k")).step(on("m"));
        let list: Value = serde_json::from_str(&models(&script)).unwrap();
        assert_eq!((&list["data"][0]["id"], &list["data"][1]["id"]), (&"k".into(), &"m".into()));
        assert!(models(&Script::new()).contains("\"id\":\"replay\""));
        let scripted = Script::new().step(Step::new().on_path("/v1/models").say("mine"));
        assert!(answer(&scripted, "/v1/models", b"").is_none(), "a step comes first");
    }
}
