//! What holds of every answer and every conversation, tried on generated ones.

mod answer;
mod conversation;
mod mended;
