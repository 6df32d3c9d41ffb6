//! The arcs of a state from which the model simply goes on: most states of most products.
//!
//! No fairness and no assumptions, nothing is memory only, the automaton's state does not accept whatever
//! comes, and no edge that is taken decides; the model moves, without errors, and no sequence goes on for
//! ever. Then there is an arc for each edge that admits what is true, and each successor; and where these are
//! short ([`super::short`]), there is little to do for each. Whatever else may be the case is left to
//! [`ModelProduct::post_any`], which knows of all of it.

use super::{Arc, LostRun, ModelProduct, Numbering, number};
use crate::emptiness::{End, MarkSet};
use lariat_engine::{Moment, SuccessorFunction};
use lariat_store::{Inserted, StateId, StateStore};

/// How much of a state's arcs is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begun {
    /// Nothing.
    Nothing,
    /// The successors of the model are known.
    Successors,
    /// Everything.
    All,
}

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'_, M, S, K> {
    /// Appends the arcs that leave a state, if all is plain.
    #[inline(always)]
    pub(super) fn post_plain(&mut self, id: StateId, arcs: &mut Vec<Arc<K>>) -> Begun {
        let ModelProduct { model, numbering, out, valuation, buffer, lost, .. } = self;
        let Numbering { property, store, sizes, short, room, accepting, ends, .. } = numbering;
        let state = store.bytes_of(id, buffer);
        let (model_state, reading) = state.split_at(state.len() - sizes.property);
        let reading = if let [byte] = reading { u32::from(*byte) } else { number(reading) } as usize;
        let (Some(edges), Some(false)) = (property.edges.get(reading), property.settled.get(reading)) else {
            return Begun::Nothing;
        };
        model.successors(model_state, out);
        let goes_on = out.something_happens() && !out.was_cut();
        if !goes_on || out.has_violations() || out.diverges() || !short.begin(out.parts().1) {
            return Begun::Successors;
        }
        let known = model.known_truths(model_state).and_then(|values| property.taken(reading, values));
        if known.is_none() {
            model.look_at(model_state, Moment::Moving, valuation);
        }
        for (k, edge) in edges.iter().enumerate() {
            let is_taken = match known {
                Some(taken) => Ok(taken >> k & 1 == 1),
                None => property.admits(edge.label, |k| model.is_true(k, valuation)),
            };
            match is_taken {
                Ok(true) => {}
                Ok(false) => continue,
                Err(violation) => {
                    lost.get_or_insert(LostRun::Proposition(violation));
                    continue;
                }
            }
            let decides = self.decides_early && property.settled[edge.to as usize];
            if decides || !short.add_all(edge.to, K::narrow(edge.marks), out.parts(), sizes.property) {
                return Begun::Successors;
            }
        }
        ends.clear();
        let mut found = store.insert_all(short.ends(), room);
        for run in &short.runs {
            let (of_run, rest) = found.split_at(run.arcs);
            found = rest;
            arcs.extend(of_run.iter().map(|inserted| Arc { to: inserted.id(), marks: run.marks }));
            let accepts = property.accepting[run.to as usize];
            if S::IS_SHARED {
                let is_new = |inserted: &Inserted| Some(matches!(inserted, Inserted::New(_)));
                ends.extend(of_run.iter().map(|inserted| End {
                    accepts,
                    is_new: is_new(inserted),
                    sleeping: 0,
                }));
            } else if accepts || !accepting.words().is_empty() {
                for inserted in of_run {
                    match *inserted {
                        Inserted::New(id) if accepts => _ = accepting.set(id),
                        // A store for states in use gives numbers again.
                        Inserted::New(id) => accepting.unset(id),
                        Inserted::Known(_) => {}
                    }
                }
            }
        }
        Begun::All
    }
}
