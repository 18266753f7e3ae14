//! An answer in one piece.

use serde::Serialize;

use super::{CREATED, Frame, UsageBody, to_json};
use crate::replay::fault::Piece;
use crate::replay::script::{Call, Odd, Part, Reply};

#[derive(Serialize)]
struct Completion<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    usage: UsageBody,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    refusal: Option<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Function<'a>>,
}

#[derive(Serialize)]
struct CallBody<'a> {
    id: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Function<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<Custom<'a>>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct Custom<'a> {
    name: &'a str,
    input: &'a str,
}

/// Every gate of the blocks, in order, and then the answer.
pub(super) fn pieces(reply: &Reply, frame: &Frame<'_>, odd: &[Odd]) -> Vec<Piece> {
    let gates = reply.blocks.iter().filter_map(|block| match &block.part {
        Part::Gate(name) => Some(Piece::Gate(name.clone())),
        _ => None,
    });
    let completion = Completion {
        id: &frame.id,
        object: "chat.completion",
        created: CREATED,
        model: frame.model,
        choices: reply.choices().into_iter().map(|index| choice(reply, frame, odd, index)).collect(),
        usage: reply.usage.into(),
    };
    gates.chain([Piece::Event(to_json(&completion).into())]).collect()
}

fn choice<'a>(reply: &'a Reply, frame: &Frame<'_>, odd: &[Odd], index: u32) -> Choice<'a> {
    let mut message = Message {
        role: "assistant",
        content: None,
        refusal: None,
        reasoning_content: None,
        tool_calls: Vec::new(),
        function_call: None,
    };
    let is_legacy = odd.contains(&Odd::LegacyFunctionCall);
    let mut position = 0;
    for block in &reply.blocks {
        let mine = block.choice == index;
        match &block.part {
            Part::Text(text) if mine => message.content.get_or_insert_default().push_str(text),
            Part::Reasoning(text) if mine => message.reasoning_content.get_or_insert_default().push_str(text),
            Part::Call(call) => {
                if mine && is_legacy && !call.custom && message.function_call.is_none() {
                    message.function_call = Some(Function { name: &call.name, arguments: &call.arguments });
                } else if mine {
                    message.tool_calls.push(body(call, frame.call_id(call, position)));
                }
                position += 1;
            }
            _ => {}
        }
    }
    let finish_reason = reply.tells_finish.then(|| reply.finish(index, odd));
    Choice { index, message, logprobs: None, finish_reason }
}

fn body(call: &Call, id: String) -> CallBody<'_> {
    if call.custom {
        let custom = Some(Custom { name: &call.name, input: &call.arguments });
        CallBody { id, r#type: "custom", function: None, custom }
    } else {
        let function = Some(Function { name: &call.name, arguments: &call.arguments });
        CallBody { id, r#type: "function", function, custom: None }
    }
}
