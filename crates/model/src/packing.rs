//! States as they are stored: only the bits that their types need.
//!
//! While a model runs, every scalar has bytes of its own, where code finds it without effort. A search stores millions of states, and
//! reads each once: so what it stores is *packed*. A `bool` takes one bit, a location as many as the process type has locations, and
//! what says which frames there are, the *shape* of the state, takes one bit as long as it is that of the initial state; otherwise the
//! tags of the frames follow. Channels that the globals hold are always there, and are not mentioned.
//!
//! ```text
//! 0                       │ the bits that count, from the first byte of the working state to the last │ hidden bytes
//! 1 │ tag │ tag │ … │ 0   │ the same
//! ```
//!
//! For each shape there is a [`Plan`]: one mask for every eight bytes of the working state. To pack is to gather the bits under the
//! masks, to unpack is to scatter them; processors have an instruction for either. So eight bytes cost a few instructions, whatever
//! lies in them.

use crate::ir::{Base, Index, Model, Place, RecordTypeId, Storage, Type, Variable};
use crate::layout::Layout;
use crate::writes::{each_written_at_the_start, each_written_by};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How the states of a model are packed.
#[derive(Clone, Debug)]
pub struct Packing {
    /// Of each byte before the frames, the bits that count. Those of hidden globals do not.
    front: Vec<u8>,
    /// The same for frames, by tag; the tag itself does not count.
    frames: Vec<Vec<u8>>,
    tag_size: usize,
    tag_bits: u32,
    globals_size: usize,
    hidden_size: usize,
    /// Smaller tags are those of processes.
    process_types: usize,
    /// Tags of the frames that every state begins with: channels that were created before the first process.
    permanent: Vec<u16>,
    cache: RefCell<Cache>,
    gathers: Gathers,
}

/// So many plans are kept. A model that creates processes in any order may have any number of shapes.
const MOST_PLANS: usize = 4096;

/// Plans that were made so far.
#[derive(Clone, Debug)]
struct Cache {
    initial: Option<Rc<Plan>>,
    /// By the tags of the frames behind the permanent ones.
    others: FxHashMap<Vec<u16>, Rc<Plan>>,
    /// The one that was used last.
    current: Option<Rc<Plan>>,
    bytes: Vec<u8>,
}

/// How states of one shape are packed.
#[derive(Debug)]
struct Plan {
    /// What says that a state has this shape.
    header: Vec<(u64, u32)>,
    header_bits: usize,
    length: usize,
    windows: Vec<Window>,
    /// Bytes of the packed state.
    packed: usize,
}

/// Eight bytes of a working state.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The bits that count.
    kept: u64,
    count: u32,
    /// The bytes that are tags, and what they are.
    tags: u64,
    tag_values: u64,
}

/// How bits are gathered and scattered here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathers {
    #[cfg(target_arch = "x86_64")]
    ByInstruction,
    ByLoop,
}

fn bits_for(largest: usize) -> u32 {
    usize::BITS - largest.leading_zeros()
}

fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Marks the bits of a number in the bytes where it lies.
fn mark(bytes: &mut [u8], offset: usize, bits: u32) {
    let mask = low(bits).to_le_bytes();
    let size = bits.div_ceil(8) as usize;
    for (byte, bits) in bytes[offset..offset + size].iter_mut().zip(mask) {
        *byte |= bits;
    }
}

fn bits_of(storage: Storage) -> u32 {
    match storage {
        Storage::Unsigned(bits) => bits as u32,
        Storage::Signed16 => 16,
        Storage::Signed32 => 32,
    }
}

impl Packing {
    /// Looks at the types of everything that a state holds.
    pub fn new(model: &Model, layout: &Layout) -> Packing {
        let mut front = vec![0; layout.frames_start];
        for global in model.globals.iter().filter(|global| !global.hidden) {
            mark_variable(model, global, 0, &mut front);
        }
        if let Some(last) = layout.last_offset {
            front[last] = 0xff;
        }
        if let Some(observer) = layout.observer {
            mark(&mut front, observer.offset, bits_of(observer.storage));
        }
        let mut frames = Vec::new();
        for (process, place) in model.process_types.iter().zip(&layout.processes) {
            let mut bytes = vec![0; place.frame_size];
            mark(&mut bytes, layout.tag_size, bits_for(process.locations.len().saturating_sub(1)));
            if layout.priorities {
                bytes[place.header_size - 1] = 0xff;
            }
            for variable in &process.variables {
                mark_variable(model, variable, place.header_size, &mut bytes);
            }
            frames.push(bytes);
        }
        for (channel, place) in model.channel_types.iter().zip(&layout.channels) {
            let mut bytes = vec![0; place.frame_size];
            if place.capacity > 0 {
                mark(&mut bytes, layout.tag_size, bits_for(place.capacity));
            }
            for slot in 0..place.capacity {
                for (field, offset) in channel.fields.iter().zip(&place.field_offsets) {
                    let at = place.header_size + slot * place.message_size + offset;
                    mark(&mut bytes, at, bits_of(field.storage));
                }
            }
            frames.push(bytes);
        }
        // Text that was written by hand may write more bits than it declares.
        let mut written = |place: &Place, local: usize| {
            let (bytes, base) = match &place.base {
                Base::Global => (&mut front, 0),
                Base::Local => (&mut frames[local], layout.processes[local].header_size),
                Base::Remote { process, .. } => {
                    let process = process.0 as usize;
                    (&mut frames[process], layout.processes[process].header_size)
                }
                Base::Priority | Base::Nowhere => return,
            };
            mark_place(place, &place.indices, base + place.offset as usize, bytes);
        };
        each_written_at_the_start(model, |place| written(place, 0));
        for (number, process) in model.process_types.iter().enumerate() {
            each_written_by(process, |place| written(place, number));
        }
        front[layout.globals_size..layout.globals_size + layout.hidden_size].fill(0);
        Packing {
            front,
            tag_bits: bits_for(frames.len()),
            frames,
            tag_size: layout.tag_size,
            globals_size: layout.globals_size,
            hidden_size: layout.hidden_size,
            process_types: layout.processes.len(),
            permanent: Vec::new(),
            cache: RefCell::new(Cache {
                initial: None,
                others: FxHashMap::default(),
                current: None,
                bytes: Vec::new(),
            }),
            gathers: Gathers::here(),
        }
    }

    /// Says which frames there are in the initial state.
    pub fn begin_with(&mut self, initial: &[u8]) {
        if let Some(mut tags) = self.tags_of(initial) {
            let channels = tags.iter().take_while(|tag| **tag as usize >= self.process_types).count();
            self.permanent = tags.drain(..channels).collect();
            let plan = self.plan(&tags, true);
            let mut cache = self.cache.borrow_mut();
            cache.others.clear();
            cache.others.insert(tags, plan.clone());
            cache.current = Some(plan.clone());
            cache.initial = Some(plan);
        }
    }

    /// The tags of the frames behind the permanent ones.
    fn tags_of(&self, working: &[u8]) -> Option<Vec<u16>> {
        let mut tags = Vec::new();
        let mut at = self.front.len();
        let mut number = 0;
        while at < working.len() {
            let tag = match self.tag_size {
                1 => working[at] as u16,
                _ => u16::from_le_bytes([working[at], *working.get(at + 1)?]),
            };
            at += self.frames.get(tag as usize)?.len();
            if number >= self.permanent.len() {
                tags.push(tag);
            }
            number += 1;
        }
        (number >= self.permanent.len()).then_some(tags)
    }

    fn plan(&self, tags: &[u16], initial: bool) -> Rc<Plan> {
        let mut header = vec![(!initial as u64, 1)];
        if !initial {
            header.extend(tags.iter().map(|tag| (*tag as u64 + 1, self.tag_bits)));
            header.push((0, self.tag_bits));
        }
        let mut kept = self.front.clone();
        let mut tag_bytes = vec![0; kept.len()];
        let mut tag_values = vec![0; kept.len()];
        for tag in self.permanent.iter().chain(tags) {
            let start = kept.len();
            kept.extend_from_slice(&self.frames[*tag as usize]);
            tag_bytes.resize(kept.len(), 0);
            tag_values.resize(kept.len(), 0);
            tag_bytes[start..start + self.tag_size].fill(0xff);
            tag_values[start..start + self.tag_size].copy_from_slice(&tag.to_le_bytes()[..self.tag_size]);
        }
        let length = kept.len();
        let windows: Vec<Window> = (0..length.div_ceil(8))
            .map(|k| {
                let word = |bytes: &[u8]| word_at(bytes, k * 8);
                let kept = word(&kept);
                Window {
                    kept,
                    count: kept.count_ones(),
                    tags: word(&tag_bytes),
                    tag_values: word(&tag_values),
                }
            })
            .collect();
        let header_bits: usize = header.iter().map(|(_, bits)| *bits as usize).sum();
        let bits = header_bits + windows.iter().map(|window| window.count as usize).sum::<usize>();
        Rc::new(Plan { header, header_bits, length, windows, packed: bits.div_ceil(8) })
    }

    fn plan_for(&self, tags: Vec<u16>) -> Rc<Plan> {
        let known = self.cache.borrow().others.get(&tags).cloned();
        let plan = known.unwrap_or_else(|| {
            let plan = self.plan(&tags, false);
            let mut cache = self.cache.borrow_mut();
            if cache.others.len() >= MOST_PLANS {
                // The plan of the initial shape is not made again: it is another one.
                let initial = cache.initial.clone();
                cache
                    .others
                    .retain(|_, plan| initial.as_ref().is_some_and(|initial| Rc::ptr_eq(initial, plan)));
            }
            cache.others.insert(tags, plan.clone());
            plan
        });
        self.cache.borrow_mut().current = Some(plan.clone());
        plan
    }

    /// Appends the packed form of a working state.
    #[inline]
    pub fn pack(&self, working: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        {
            let cache = self.cache.borrow();
            if let Some(plan) = &cache.current
                && plan.length == working.len()
                && self.gathers.pack(plan, working, out)
            {
                self.push_hidden(working, out);
                return;
            }
        }
        out.truncate(start);
        self.pack_another(working, out);
        self.push_hidden(working, out);
    }

    /// A state of another shape than the one before.
    #[cold]
    fn pack_another(&self, working: &[u8], out: &mut Vec<u8>) {
        let tags = self.tags_of(working).expect("a state is made of whole frames");
        let fits = self.gathers.pack(&self.plan_for(tags), working, out);
        debug_assert!(fits);
    }

    #[inline]
    fn push_hidden(&self, working: &[u8], out: &mut Vec<u8>) {
        if self.hidden_size > 0 {
            out.extend_from_slice(&working[self.globals_size..self.globals_size + self.hidden_size]);
        }
    }

    /// Replaces `working` by the state that a packed one stands for.
    #[inline]
    pub fn unpack(&self, stored: &[u8], working: &mut Vec<u8>) {
        let (packed, hidden) = stored.split_at(stored.len() - self.hidden_size);
        let mut cache = self.cache.borrow_mut();
        let mut bytes = std::mem::take(&mut cache.bytes);
        bytes.clear();
        bytes.extend_from_slice(packed);
        bytes.extend_from_slice(&[0; 16]);
        let fits =
            cache.current.as_ref().is_some_and(|plan| plan.packed == packed.len() && plan.heads(&bytes));
        let plan = if fits {
            cache.current.clone()
        } else {
            drop(cache);
            let plan = self.plan_of_packed(&bytes);
            cache = self.cache.borrow_mut();
            cache.current = plan.clone();
            plan
        };
        cache.bytes = bytes;
        let plan = plan.expect("a stored state says which frames it has");
        self.gathers.unpack(&plan, &cache.bytes, working);
        if self.hidden_size > 0 {
            working[self.globals_size..self.globals_size + self.hidden_size].copy_from_slice(hidden);
        }
    }

    #[cold]
    fn plan_of_packed(&self, bytes: &[u8]) -> Option<Rc<Plan>> {
        if bits_at(bytes, 0, 1) == 0 {
            return self.cache.borrow().initial.clone();
        }
        let mut tags = Vec::new();
        let mut at = 1;
        while at + self.tag_bits as usize <= bytes.len() * 8 {
            let tag = bits_at(bytes, at, self.tag_bits);
            at += self.tag_bits as usize;
            if tag == 0 {
                return Some(self.plan_for(tags));
            }
            tags.push(tag as u16 - 1);
        }
        None
    }
}

fn mark_place(place: &Place, indices: &[Index], at: usize, bytes: &mut [u8]) {
    match indices {
        [] => mark(bytes, at, bits_of(place.storage)),
        [first, rest @ ..] => {
            for element in 0..first.length {
                mark_place(place, rest, at + (element * first.stride) as usize, bytes);
            }
        }
    }
}

fn mark_variable(model: &Model, variable: &Variable, base: usize, bytes: &mut [u8]) {
    for element in 0..variable.length.unwrap_or(1) {
        let at = base + (variable.offset + element * variable.element_size) as usize;
        match variable.ty {
            Type::Scalar { storage, .. } => mark(bytes, at, bits_of(storage)),
            Type::Record(RecordTypeId(record)) => {
                for field in &model.record_types[record as usize].fields {
                    mark_variable(model, field, at, bytes);
                }
            }
        }
    }
}

/// Eight bytes, as far as there are any.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(word) => {
            u64::from_le_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]])
        }
        None => {
            let mut word = [0; 8];
            let rest = bytes.get(at..).unwrap_or_default();
            word[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(word)
        }
    }
}

/// Up to 64 bits from a bit on. There are bytes to spare behind.
#[inline]
fn bits_at(bytes: &[u8], at: usize, count: u32) -> u64 {
    let (byte, shift) = (at / 8, at % 8);
    let mut value = word_at(bytes, byte) >> shift;
    if shift > 0 {
        value |= (bytes[byte + 8] as u64) << (64 - shift);
    }
    value & low(count)
}

impl Plan {
    /// Whether packed bytes begin with the header of this shape.
    #[inline]
    fn heads(&self, bytes: &[u8]) -> bool {
        let mut at = 0;
        self.header.iter().all(|(value, bits)| {
            let same = bits_at(bytes, at, *bits) == *value;
            at += *bits as usize;
            same
        })
    }
}

/// Bits on their way into bytes.
struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    word: u64,
    used: u32,
}

impl BitWriter<'_> {
    #[inline(always)]
    fn push(&mut self, value: u64, count: u32) {
        self.word |= value << self.used;
        if self.used + count < 64 {
            self.used += count;
            return;
        }
        self.out.extend_from_slice(&self.word.to_le_bytes());
        self.word = if self.used == 0 { 0 } else { value >> (64 - self.used) };
        self.used = self.used + count - 64;
    }

    #[inline(always)]
    fn finish(self) {
        let bytes = self.word.to_le_bytes();
        self.out.extend_from_slice(&bytes[..self.used.div_ceil(8) as usize]);
    }
}

#[inline(always)]
fn pack_with(plan: &Plan, working: &[u8], out: &mut Vec<u8>, gather: impl Fn(u64, u64) -> u64) -> bool {
    out.reserve(plan.packed + 8);
    let mut bits = BitWriter { out, word: 0, used: 0 };
    for (value, count) in &plan.header {
        bits.push(*value, *count);
    }
    for (k, window) in plan.windows.iter().enumerate() {
        let word = word_at(working, k * 8);
        if word & window.tags != window.tag_values {
            return false;
        }
        bits.push(gather(word, window.kept), window.count);
    }
    bits.finish();
    true
}

#[inline(always)]
fn unpack_with(plan: &Plan, packed: &[u8], working: &mut Vec<u8>, scatter: impl Fn(u64, u64) -> u64) {
    working.clear();
    working.reserve(plan.length + 8);
    let mut at = plan.header_bits;
    for window in &plan.windows {
        let bits = bits_at(packed, at, window.count);
        at += window.count as usize;
        let word = scatter(bits, window.kept) | window.tag_values;
        working.extend_from_slice(&word.to_le_bytes());
    }
    working.truncate(plan.length);
}

#[cfg(target_arch = "x86_64")]
mod instruction {
    use super::{Plan, pack_with, unpack_with};
    use core::arch::x86_64::{_pdep_u64, _pext_u64};

    #[target_feature(enable = "bmi2")]
    pub fn pack(plan: &Plan, working: &[u8], out: &mut Vec<u8>) -> bool {
        pack_with(plan, working, out, |word, mask| _pext_u64(word, mask))
    }

    #[target_feature(enable = "bmi2")]
    pub fn unpack(plan: &Plan, packed: &[u8], working: &mut Vec<u8>) {
        unpack_with(plan, packed, working, |bits, mask| _pdep_u64(bits, mask));
    }
}

/// The bits under a mask, moved together.
fn gather(word: u64, mask: u64) -> u64 {
    let (mut gathered, mut filled, mut rest) = (0, 0, mask);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let count = (!(rest >> start)).trailing_zeros().min(64 - start);
        gathered |= ((word >> start) & low(count)) << filled;
        filled += count;
        rest &= !(low(count) << start);
    }
    gathered
}

/// The opposite of [`gather`].
fn scatter(bits: u64, mask: u64) -> u64 {
    let (mut scattered, mut used, mut rest) = (0, 0, mask);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let count = (!(rest >> start)).trailing_zeros().min(64 - start);
        scattered |= ((bits >> used) & low(count)) << start;
        used += count;
        rest &= !(low(count) << start);
    }
    scattered
}

impl Gathers {
    fn here() -> Gathers {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("bmi2") {
            return Gathers::ByInstruction;
        }
        Gathers::ByLoop
    }

    /// False, and something half done, if the state has another shape.
    #[inline]
    fn pack(self, plan: &Plan, working: &[u8], out: &mut Vec<u8>) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            // Safe: the processor has the instructions, or this would be `ByLoop`.
            Gathers::ByInstruction => unsafe { instruction::pack(plan, working, out) },
            Gathers::ByLoop => pack_with(plan, working, out, gather),
        }
    }

    #[inline]
    fn unpack(self, plan: &Plan, packed: &[u8], working: &mut Vec<u8>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // Safe: as above.
            Gathers::ByInstruction => unsafe { instruction::unpack(plan, packed, working) },
            Gathers::ByLoop => unpack_with(plan, packed, working, scatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_and_scattered() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        for _ in 0..1000 {
            let (word, mask) = (next(), next() & next());
            let bits = gather(word, mask);
            assert_eq!(scatter(bits, mask), word & mask);
            assert!(bits <= low(mask.count_ones()));
        }
        assert_eq!(gather(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(scatter(5, u64::MAX), 5);
        assert_eq!(gather(0xff00, 0xf000), 0xf);
    }

    #[test]
    fn bits_over_the_borders_of_words() {
        let mut out = Vec::new();
        let mut bits = BitWriter { out: &mut out, word: 0, used: 0 };
        let pieces = [(1, 1), (u64::MAX, 64), (5, 3), (0, 0), (0x1234_5678_9abc_def0, 61), (1, 2)];
        for (value, count) in pieces {
            bits.push(value & low(count), count);
        }
        bits.finish();
        assert_eq!(out.len(), 17);
        out.extend_from_slice(&[0; 16]);
        let mut at = 0;
        for (value, count) in pieces {
            assert_eq!(bits_at(&out, at, count), value & low(count));
            at += count as usize;
        }
    }
}
