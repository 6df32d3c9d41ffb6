//! Checks that can be left and entered again: for a checkpoint, or in another process.
//!
//! A check is left when a limit is hit, or when it is time for a checkpoint: the `?` of the language carries
//! [`Stopped`] out of it. Wherever that can happen, in [`Search::post`], the state that was asked about is on
//! the path already, with its arcs. So the check is whole: its notes and stacks say where it is, and its main
//! procedure, called again, goes on from there. That is all that a check must see to; [`resumed`] does the
//! rest.
//!
//! After the verdict, while the lasso is looked for, nothing is written: the check has seen what it was to
//! see, and would look for it in vain if it went on.

use super::side_tables::{Colours, Numbers, SmallNumbers};
use super::{Arc, DepthFirstPath, Frame, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{
    Reader, Saved, Unreadable, Writer, load_numbers, load_words, save_numbers, save_words,
};
use crate::events::Listener;
use crate::limits::StopReason;
use lariat_store::StateId;

/// Runs a check that can be left and entered again, from where a checkpoint says, if there is one; and writes
/// checkpoints, if that is wished.
pub fn resumed<P: Product, L: Listener, C: Saved>(
    search: &mut Search<P, L>,
    check: &mut C,
    run: impl Fn(&mut C, &mut Search<P, L>) -> Result<Option<Lasso>, Stopped>,
) -> Result<Option<Lasso>, Stopped> {
    search.go_on(check)?;
    loop {
        match run(check, search) {
            Err(stopped) if search.goes_on_after(check, stopped) => {}
            result => return result,
        }
    }
}

impl<P: Product, L: Listener> Search<'_, P, L> {
    /// Reads the checkpoint from which the check goes on, if there is one.
    fn go_on(&mut self, check: &mut impl Saved) -> Result<(), Stopped> {
        let Some(checkpoints) = self.checkpoints() else { return Ok(()) };
        let Some(mut reader) = checkpoints.take_reader() else { return Ok(()) };
        let loaded = self.load(check, &mut reader).and_then(|()| reader.finish());
        loaded.map_err(|Unreadable(reason)| {
            checkpoints.note_problem(reason);
            Stopped(StopReason::Checkpoint)
        })
    }

    fn load(&mut self, check: &mut impl Saved, from: &mut Reader) -> Result<(), Unreadable> {
        self.product().load_all(from)?;
        self.load_counts(from)?;
        check.load(from)
    }

    /// The check was left: writes a checkpoint, if that is wished. Whether it is entered again.
    fn goes_on_after(&mut self, check: &impl Saved, Stopped(reason): Stopped) -> bool {
        let Some(checkpoints) = self.checkpoints() else { return false };
        // A path that is too long is too long wherever the check goes on.
        if self.was_left_uncounted() || matches!(reason, StopReason::Depth(_)) {
            return false;
        }
        checkpoints.write(self.stored(), |out| {
            self.product().save_all(out)?;
            self.save_counts(out);
            check.save(out);
            Ok(())
        });
        reason == StopReason::Checkpoint
    }
}

impl Saved for SmallNumbers {
    fn save(&self, out: &mut Writer) {
        save_words(self.words(), out);
    }

    /// The width is what it is.
    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        *self.words_mut() = load_words(from)?;
        Ok(())
    }
}

impl Saved for Colours {
    fn save(&self, out: &mut Writer) {
        self.numbers().save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.numbers_mut().load(from)
    }
}

impl Saved for Numbers {
    fn save(&self, out: &mut Writer) {
        save_numbers(self.list().iter().copied(), out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        *self = Numbers::of_list(load_numbers(from)?);
        Ok(())
    }
}

/// Writes marks: as many words as there can be.
pub fn save_marks<K: MarkSet>(marks: K, out: &mut Writer) {
    (0..K::LIMIT.div_ceil(64)).for_each(|k| out.number(marks.word(k as usize)));
}

pub fn load_marks<K: MarkSet>(from: &mut Reader) -> Result<K, Unreadable> {
    let mut marks = K::NONE;
    for k in 0..K::LIMIT.div_ceil(64) {
        marks.add_word(k as usize, from.number()?);
    }
    Ok(marks)
}

impl<K: MarkSet> Saved for Vec<Arc<K>> {
    fn save(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for arc in self {
            out.number(u64::from(arc.to.0));
            save_marks(arc.marks, out);
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            self.push(Arc { to: StateId(from.small()?), marks: load_marks(from)? });
        }
        Ok(())
    }
}

/// What a check keeps with a state on its path.
pub trait Note: Copy {
    fn save(self, out: &mut Writer);
    fn load(from: &mut Reader) -> Result<Self, Unreadable>;
}

impl Note for () {
    fn save(self, _out: &mut Writer) {}

    fn load(_from: &mut Reader) -> Result<(), Unreadable> {
        Ok(())
    }
}

impl Note for bool {
    fn save(self, out: &mut Writer) {
        out.flag(self);
    }

    fn load(from: &mut Reader) -> Result<bool, Unreadable> {
        from.flag()
    }
}

impl Note for u32 {
    fn save(self, out: &mut Writer) {
        out.number(u64::from(self));
    }

    fn load(from: &mut Reader) -> Result<u32, Unreadable> {
        from.small()
    }
}

impl Note for Option<StateId> {
    fn save(self, out: &mut Writer) {
        out.number(self.map_or(0, |id| u64::from(id.0) + 1));
    }

    fn load(from: &mut Reader) -> Result<Option<StateId>, Unreadable> {
        let number = from.number()?.checked_sub(1);
        let id = number.map(u32::try_from).transpose().map_err(|_| Unreadable::damaged())?;
        Ok(id.map(StateId))
    }
}

impl<T: Note, K: MarkSet> Saved for DepthFirstPath<T, K> {
    fn save(&self, out: &mut Writer) {
        let (frames, arcs) = self.parts();
        out.number(frames.len() as u64);
        for frame in frames {
            out.number(u64::from(frame.state.0));
            frame.note.save(out);
            let (taken, first) = frame.arcs();
            out.number(u64::from(taken));
            out.number(first as u64);
        }
        arcs.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        let mut frames = Vec::new();
        for _ in 0..from.number()? {
            let (state, note) = (StateId(from.small()?), T::load(from)?);
            frames.push(Frame::new(state, note, from.small()?, from.number()? as usize));
        }
        let mut arcs = Vec::new();
        arcs.load(from)?;
        *self = DepthFirstPath::of_parts(frames, arcs);
        Ok(())
    }
}
