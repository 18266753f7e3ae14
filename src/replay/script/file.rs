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

use super::fill::Slot;
use super::{
    Block, Call, Chunk, ErrorBody, Fault, Halt, Instead, Odd, Pace, Part, Place, Raw, Reply, Require, Script,
    Step, Stop, Usage, When,
};
use crate::config::value::Interval;

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
    /// Each step serves only after the one before it.
    #[serde(default)]
    ordered: bool,
    #[serde(default)]
    instant: bool,
    #[serde(default)]
    require: Require,
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
    chunk_by: Option<Unit>,
    /// One cut, after so many bytes.
    split: Option<usize>,
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
    pace: Option<PaceWritten>,
    cut_arguments: Option<usize>,
    error_event: Option<ErrorBody>,
    #[serde(default)]
    odd: Vec<Odd>,
    /// A fault is written as a step is, but for the keys that say when.
    #[serde(default)]
    fault: Vec<Spanned<StepWritten>>,
    /// How often a fault comes.
    times: Option<NonZeroUsize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Bytes,
    Characters,
    Tokens,
    Units,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaceWritten {
    first: Option<Interval>,
    every: Option<Interval>,
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
        read(file, text).map_err(|Wrong { span, message }| LoadError::Wrong {
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
        Self::load_all(&files)
    }

    /// Reads scripts and folders of scripts as one. A name stands for one step of its file.
    pub fn load_all(paths: &[PathBuf]) -> Result<Self, LoadError> {
        paths.iter().try_fold(Self::new(), |script, path| Ok(script.then(Self::load(path)?)))
    }
}

fn read(file: &str, text: &str) -> Result<Script, Wrong> {
    let written: ScriptWritten = toml::from_str(text)
        .map_err(|error| Wrong { span: error.span(), message: error.message().to_owned() })?;
    let ScriptWritten { strict, ordered, instant, require, step: steps } = written;
    let mut script = Script { strict, require, instant, ..Script::new() };
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        let span = step.span();
        let step = step.into_inner();
        if let Some(name) = &step.name {
            if names.contains(name) {
                return Err(Wrong::at(&span, format!("there is another step called {name:?}")));
            }
            names.push(name.clone());
        }
        let place = format!("{file}:{}", line(text, span.start));
        let step = Step { written: Some(place), ..step.mean(&span)? };
        script = if ordered { script.and_then(step) } else { script.step(step) };
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
        if self.times.is_some() {
            return Err(Wrong::at(span, "times goes with a fault: [[step.fault]]".to_owned()));
        }
        if self.is_silent() {
            let wanted = "a block, raw, pieces, error, status, finish, die, close or hang";
            return Err(Wrong::at(span, format!("the step says nothing: give it {wanted}")));
        }
        if let Some(fault) = self.when.fault() {
            return Err(Wrong::at(span, fault.to_owned()));
        }
        let faults = std::mem::take(&mut self.fault);
        let mut step = self.answer(span)?;
        let known: Vec<&str> =
            step.when.patterns().flat_map(|pattern| pattern.0.capture_names().flatten()).collect();
        for (_, slot) in step.reply.slots() {
            if let Slot::Group(name) = slot
                && !known.contains(&name)
            {
                let message = format!("no condition of this step has a group called {name:?}");
                return Err(Wrong::at(span, message));
            }
        }
        for fault in faults {
            let span = fault.span();
            let mut fault = fault.into_inner();
            if fault.says_when() {
                let message = "a fault has no name, when, repeat or fault of its own";
                return Err(Wrong::at(&span, message.to_owned()));
            }
            let times = fault.times.take().map_or(1, NonZeroUsize::get);
            let fault = fault.answer(&span)?.based_on(&step);
            step.faults.push(Fault { times, step: fault });
        }
        Ok(step)
    }

    /// All but its faults.
    fn answer(mut self, span: &Range<usize>) -> Result<Step, Wrong> {
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
        let chunk = self.chunk().map_err(|message| Wrong::at(span, message.to_owned()))?;
        let content_type = match self.content_type.take() {
            Some(kind) => Some(
                HeaderValue::from_str(&kind)
                    .map_err(|_| Wrong::at(span, format!("{kind:?} is no header value")))?,
            ),
            None => None,
        };
        let instead = self.instead(span)?;
        let pace = self.pace.map(PaceWritten::mean).unwrap_or_default();
        let blocks = self.block.into_iter().map(BlockWritten::mean).collect::<Result<_, _>>()?;
        let reply = Reply {
            blocks,
            finish: self.finish,
            usage: self.usage.unwrap_or_default(),
            chunk,
            interleave: self.interleave,
            tells_finish: !self.no_finish,
            tells_done: !self.no_done,
            cut_arguments: self.cut_arguments,
            error_event: self.error_event,
        };
        Ok(Step {
            name: self.name,
            when: self.when,
            repeat: self.repeat,
            status,
            headers,
            reply,
            instead,
            cut: self.cut,
            stops,
            pace,
            content_type,
            odd: self.odd,
            ..Step::new()
        })
    }

    fn chunk(&self) -> Result<Chunk, &'static str> {
        match (self.chunk, &self.chunk_by, self.split) {
            (None, None, Some(at)) => Ok(Chunk::At(at)),
            (_, _, Some(_)) => Err("either split or chunk, not both"),
            (None, None, None) => Ok(Chunk::Block),
            (None, Some(_), None) => Err("chunk_by goes with chunk"),
            (Some(size), None | Some(Unit::Bytes), None) => Ok(Chunk::Bytes(size)),
            (Some(size), Some(Unit::Characters), None) => Ok(Chunk::Characters(size)),
            (Some(size), Some(Unit::Tokens), None) => Ok(Chunk::Tokens(size)),
            (Some(size), Some(Unit::Units), None) => Ok(Chunk::Units(size)),
        }
    }

    fn says_when(&self) -> bool {
        let named = self.name.is_some() || self.repeat || !self.fault.is_empty();
        named || self.when != When::default()
    }

    fn is_silent(&self) -> bool {
        let answers = !self.block.is_empty() || self.raw.is_some() || self.pieces.is_some();
        let tells = self.error.is_some() || self.status.is_some() || self.finish.is_some();
        let breaks = self.die.is_some() || self.close.is_some() || self.hang.is_some();
        let breaks = breaks || self.error_event.is_some() || !self.odd.is_empty();
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
                Some(Instead::Raw(Raw { pieces: pieces.into_iter().map(Bytes::from).collect() }))
            }
            (None, Some(error)) => Some(Instead::Error(error)),
            (None, None) => None,
        };
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

// === impl PaceWritten ===

impl PaceWritten {
    fn mean(self) -> Pace {
        let written = |interval: Option<Interval>| interval.map(|Interval(time)| time).unwrap_or_default();
        Pace { first: written(self.first), every: written(self.every) }
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
