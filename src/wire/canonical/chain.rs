//! Long histories, told apart by a short value.

use std::fmt;

use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// A keyed 128-bit digest that grows link by link, for comparing long histories by value.
///
/// The value after a row of links depends on the key and on those links alone, so that of two histories the
/// shorter is a beginning of the longer where the values meet. It is no signature: whoever knows the key can
/// make two histories that look alike.
#[derive(Clone)]
pub struct Chain {
    key: [u8; 16],
    value: u128,
}

// === impl Chain ===

impl Chain {
    pub fn new(key: [u8; 16]) -> Self {
        Self { key, value: 0 }
    }

    /// Adds one link. Links are told apart: `ab` + `c` is not `a` + `bc`.
    pub fn link(&mut self, bytes: &[u8]) {
        let mut hasher = SipHasher13::new_with_key(&self.key);
        hasher.write(&self.value.to_le_bytes());
        hasher.write(&(bytes.len() as u64).to_le_bytes());
        hasher.write(bytes);
        self.value = hasher.finish128().as_u128();
    }

    pub fn value(&self) -> u128 {
        self.value
    }
}

impl fmt::Debug for Chain {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("value", &self.value).finish_non_exhaustive()
    }
}
