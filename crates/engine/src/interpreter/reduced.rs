//! States of which only some processes are followed ([`crate::reduction`]).

use super::Interpreter;
use super::memory::{Frames, read};
use crate::reduction::{Choice, MOST_CANDIDATES, Reducer, Reduction, StateView};
use crate::successors::{Entry, Successors};
use lariat_model::ir::{Location, Storage};
use std::cell::RefMut;
use std::sync::Arc;

/// A working state and its frames.
struct WorkingView<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    bytes: &'a [u8],
    frames: &'a Frames,
}

impl StateView for WorkingView<'_, '_> {
    fn process_count(&self) -> usize {
        self.frames.processes.len()
    }

    fn process(&self, pid: usize) -> (usize, Location) {
        let frame = self.frames.processes[pid];
        (frame.ty as usize, self.interpreter.location_at(frame, self.bytes))
    }

    fn variable(&self, pid: usize, offset: u32, storage: Storage) -> i32 {
        let frame = self.frames.processes[pid];
        let variables = self.interpreter.layout.processes[frame.ty as usize].header_size;
        read(self.bytes, frame.start as usize + variables + offset as usize, storage)
    }

    fn channel(&self, number: i32) -> Option<(usize, usize)> {
        let frame = self.frames.channels.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        let layout = &self.interpreter.layout.channels[frame.ty as usize];
        match layout.capacity {
            0 => Some((0, 0)),
            capacity => {
                let at = frame.start as usize + self.interpreter.layout.tag_size;
                Some((read(self.bytes, at, layout.length) as usize, capacity))
            }
        }
    }
}

impl<'m> Interpreter<'m> {
    /// The same interpreter, which follows only some processes where that is enough.
    pub fn with_reduction(self, reduction: Reduction<'m>) -> Interpreter<'m> {
        Interpreter { reduction: Some(Arc::new(reduction)), ..self }
    }

    /// The same interpreter, which follows all processes.
    pub fn unreduced(self) -> Interpreter<'m> {
        Interpreter { reduction: None, ..self }
    }

    /// From now on it follows all processes, or only some again where that is enough.
    pub fn follow_all(&self, all: bool) {
        self.follows_all.set(all);
    }

    /// Gives back how it is reduced, if it is and nobody else is reduced in the same way.
    pub(crate) fn into_reduction(self) -> Option<Reduction<'m>> {
        self.reduction.and_then(Arc::into_inner)
    }

    /// Whether it follows only some processes, now or when it is told to again.
    pub fn is_reduced(&self) -> bool {
        self.reduction.is_some()
    }

    /// How it follows only some processes, if it does now.
    #[inline]
    pub fn reduction(&self) -> Option<&Reduction<'m>> {
        self.reduction.as_deref().filter(|_| !self.follows_all.get())
    }

    /// What it has looked up already.
    pub fn reducer(&self) -> RefMut<'_, Reducer> {
        self.reducer.borrow_mut()
    }

    /// Follows only some processes of a state, if that is enough: whether it was. The successors are working
    /// states.
    pub(super) fn reduced_moves(&self, bytes: &[u8], frames: &Frames, out: &mut Successors) -> bool {
        let Some(reduction) = self.reduction() else { return false };
        if out.asks_for_participants {
            return false;
        }
        let view = WorkingView { interpreter: self, bytes, frames };
        let mut candidates = [Choice::default(); MOST_CANDIDATES];
        let count = {
            let mut reducer = self.reducer();
            let list = reducer.candidates(reduction, &view);
            candidates[..list.len()].copy_from_slice(list);
            list.len()
        };
        let committed = self.is_committed(bytes, frames);
        for choice in &candidates[..count] {
            if self.has_assertions {
                self.check_locations(bytes, frames, out);
            }
            let mut moved = 0u64;
            for pid in (0..frames.processes.len()).rev().filter(|pid| choice.processes >> pid & 1 != 0) {
                moved |= u64::from(self.moves_of_process(pid, bytes, frames, committed, false, out)) << pid;
            }
            if moved == 0 && out.violations.is_empty() {
                continue;
            }
            if moved & choice.must_not_move == 0
                && out.entries.iter().any(|entry| entry.held != Entry::NOBODY)
            {
                self.finish_own_sequences(out);
            }
            let is_good = moved & choice.must_not_move == 0
                && !out.entries.is_empty()
                && out.violations.is_empty()
                && !out.diverges()
                && !out.cut;
            if is_good {
                out.moved = true;
                out.reduced = true;
                return true;
            }
            out.clear();
            if moved & choice.must_not_move == 0 {
                // Whatever went wrong, it is told where everything is followed.
                return false;
            }
        }
        false
    }
}
