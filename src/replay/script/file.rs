//! Scripts as files: TOML as it is written, and the way from there to steps.
//!
//! What is not known, doubled, or says nothing is an error with file and line: a script that was misread would
//! make a test pass for the wrong reason.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;
use toml::Spanned;

use super::{
    Block, Call, ErrorBody, Halt, Instead, Part, Place, Raw, Reply, Script, Step, Stop, Usage, When,
};

/// Why a script cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: the folder holds no script (*.toml)", path.display())]
    Empty { path: PathBuf },
    #[error("{file}:{line}: {message}")]
    Wrong { file: String, line: usize, message: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptWritten {
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    step: Vec<Spanned<StepWritten>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
struct StepWritten {
    name: Option<String>,
    #[serde(default)]
    when: When,
    #[serde(default)]
    block: Vec<Spanned<BlockWritten>>,
    finish: Option<String>,
    usage: Option<Usage>,
    chunk: Option<NonZeroUsize>,
    cut: Option<NonZeroUsize>,
    #[serde(default)]
    interleave: bool,
    #[serde(default)]
    repeat: bool,
    status: Option<u16>,
    error: Option<ErrorBody>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The body as it stands.
    raw: Option<String>,
    /// The same in several writes.
    pieces: Option<Vec<String>>,
    content_type: Option<String>,
    die: Option<Place>,
    close: Option<Place>,
    hang: Option<Place>,
    #[serde(default)]
    gate: Vec<GateWritten>,
    #[serde(default)]
    no_done: bool,
    #[serde(default)]
    no_finish: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GateWritten {
    name: String,
    at: Place,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockWritten {
    #[serde(default)]
    choice: u32,
    text: Option<String>,
    reasoning: Option<String>,
    call: Option<CallWritten>,
    custom: Option<CustomWritten>,
    gate: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallWritten {
    name: String,
    /// A string is taken as it stands; a table becomes JSON with sorted keys.
    arguments: toml::Value,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomWritten {
    name: String,
    input: String,
    id: Option<String>,
}

/// What is wrong, and where.
struct Wrong {
    span: Option<Range<usize>>,
    message: String,
}

// === impl Script ===

impl Script {
    /// Reads a script; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, LoadError> {
        read(text).map_err(|Wrong { span, message }| LoadError::Wrong {
            file: file.to_owned(),
            line: line(text, span.map_or(0, |span| span.start)),
            message,
        })
    }

    /// Reads a script, or every `*.toml` of a folder in the order of their names.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
        if !path.is_dir() {
            let text = fs::read_to_string(path).map_err(unreadable)?;
            return Self::parse(&path.display().to_string(), &text);
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.is_file() && file.extension().is_some_and(|extension| extension == "toml") {
                files.push(file);
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(LoadError::Empty { path: path.to_owned() });
        }
        files.iter().try_fold(Self::new(), |script, file| Ok(script.then(Self::load(file)?)))
    }
}

fn read(text: &str) -> Result<Script, Wrong> {
    let written: ScriptWritten = toml::from_str(text)
        .map_err(|error| Wrong { span: error.span(), message: error.message().to_owned() })?;
    let mut script = Script { strict: written.strict, ..Script::new() };
    let mut names: Vec<String> = Vec::new();
    for step in written.step {
        let span = step.span();
        let step = step.into_inner();
        if let Some(name) = &step.name {
            if names.contains(name) {
                return Err(Wrong::at(&span, format!("there is another step called {name:?}")));
            }
            names.push(name.clone());
        }
        script = script.step(step.mean(&span)?);
    }
    Ok(script)
}

/// The line, counted from 1, of a byte.
fn line(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

// === impl StepWritten ===

impl StepWritten {
    fn mean(mut self, span: &Range<usize>) -> Result<Step, Wrong> {
        if self.is_silent() {
            let wanted = "a block, raw, pieces, error, status, finish, die, close or hang";
            return Err(Wrong::at(span, format!("the step says nothing: give it {wanted}")));
        }
        let stops = self.stops();
        let status = match self.status {
            Some(status) => StatusCode::from_u16(status)
                .map_err(|_| Wrong::at(span, format!("{status} is no HTTP status")))?,
            None => StatusCode::OK,
        };
        let headers = std::mem::take(&mut self.headers)
            .iter()
            .map(|(name, value)| header(name, value).map_err(|message| Wrong::at(span, message)))
            .collect::<Result<_, _>>()?;
        let instead = self.instead(span)?;
        let blocks = self.block.into_iter().map(BlockWritten::mean).collect::<Result<_, _>>()?;
        Ok(Step {
            name: self.name,
            when: self.when,
            repeat: self.repeat,
            status,
            headers,
            reply: Reply {
                blocks,
                finish: self.finish,
                usage: self.usage.unwrap_or_default(),
                chunk: self.chunk,
                interleave: self.interleave,
                tells_finish: !self.no_finish,
                tells_done: !self.no_done,
            },
            instead,
            cut: self.cut,
            stops,
        })
    }

    fn is_silent(&self) -> bool {
        let answers = !self.block.is_empty() || self.raw.is_some() || self.pieces.is_some();
        let tells = self.error.is_some() || self.status.is_some() || self.finish.is_some();
        let breaks = self.die.is_some() || self.close.is_some() || self.hang.is_some();
        !(answers || tells || breaks)
    }

    /// Gates first: what waits at a place and then breaks there is of use, the other way round is not.
    fn stops(&mut self) -> Vec<Stop> {
        let gates = std::mem::take(&mut self.gate).into_iter().map(|gate| (gate.at, Halt::Gate(gate.name)));
        let ends = [(self.hang, Halt::Hang), (self.die, Halt::Reset), (self.close, Halt::Close)];
        let ends = ends.into_iter().filter_map(|(at, what)| Some((at?, what)));
        gates.chain(ends).map(|(at, what)| Stop { at, what }).collect()
    }

    fn instead(&mut self, span: &Range<usize>) -> Result<Option<Instead>, Wrong> {
        let raw = match (self.raw.take(), self.pieces.take()) {
            (Some(_), Some(_)) => return Err(Wrong::at(span, "either raw or pieces, not both".to_owned())),
            (Some(raw), None) => Some(vec![raw]),
            (None, pieces) => pieces,
        };
        let instead = match (raw, self.error.take()) {
            (Some(_), Some(_)) => return Err(Wrong::at(span, "either raw or error, not both".to_owned())),
            (Some(pieces), None) => {
                let kind = self.content_type.take().unwrap_or_else(|| "application/json".to_owned());
                let content_type = HeaderValue::from_str(&kind)
                    .map_err(|_| Wrong::at(span, format!("{kind:?} is no header value")))?;
                let pieces = pieces.into_iter().map(Bytes::from).collect();
                Some(Instead::Raw(Raw { content_type, pieces }))
            }
            (None, Some(error)) => Some(Instead::Error(error)),
            (None, None) => None,
        };
        if self.content_type.is_some() {
            return Err(Wrong::at(span, "content_type goes with raw or pieces".to_owned()));
        }
        if instead.is_some() && !self.block.is_empty() {
            return Err(Wrong::at(span, "a step with blocks has no raw, pieces or error".to_owned()));
        }
        Ok(instead)
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let name_read = HeaderName::from_bytes(name.as_bytes());
    match (name_read, HeaderValue::from_str(value)) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        _ => Err(format!("{name:?} = {value:?} is no header")),
    }
}

// === impl BlockWritten ===

impl BlockWritten {
    fn mean(written: Spanned<Self>) -> Result<Block, Wrong> {
        let span = written.span();
        let Self { choice, text, reasoning, call, custom, gate } = written.into_inner();
        let call = call.map(|call| call.mean(&span)).transpose()?;
        let mut parts = [
            text.map(Part::Text),
            reasoning.map(Part::Reasoning),
            call.map(Part::Call),
            custom.map(|custom| Part::Call(custom.mean())),
            gate.map(Part::Gate),
        ]
        .into_iter()
        .flatten();
        if let (Some(part), None) = (parts.next(), parts.next()) {
            return Ok(Block { choice, part });
        }
        let wanted = "a block is one of text, reasoning, call, custom or gate";
        Err(Wrong::at(&span, wanted.to_owned()))
    }
}

// === impl CallWritten ===

impl CallWritten {
    fn mean(self, span: &Range<usize>) -> Result<Call, Wrong> {
        let arguments = match self.arguments {
            toml::Value::String(raw) => raw,
            value => serde_json::to_string(&value)
                .map_err(|error| Wrong::at(span, format!("the arguments are no JSON: {error}")))?,
        };
        if arguments.contains("$__toml_private_datetime") {
            return Err(Wrong::at(span, "JSON has no dates: write them as strings".to_owned()));
        }
        Ok(Call { id: self.id, name: self.name, arguments, custom: false })
    }
}

// === impl CustomWritten ===

impl CustomWritten {
    fn mean(self) -> Call {
        Call { id: self.id, name: self.name, arguments: self.input, custom: true }
    }
}

// === impl Wrong ===

impl Wrong {
    fn at(span: &Range<usize>, message: String) -> Self {
        Self { span: Some(span.clone()), message }
    }
}
