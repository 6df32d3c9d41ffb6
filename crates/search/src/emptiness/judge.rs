//! Is this lasso an accepting run? Asks nobody but the product.
//!
//! Every lasso is judged before anybody sees it, and again after it was shortened. The judge knows nothing of
//! how it was found.

use super::{Lasso, MarkSet, Pair, Product, ProductStep, Search, Stopped};
use crate::events::Listener;
use crate::limits::Limits;
use lariat_store::StateId;

/// It begins in an initial state, every step takes an arc that exists and leads to where the next step
/// begins, the last step of the cycle leads to where the cycle begins, and the cycle meets every set and
/// satisfies every pair.
pub fn is_accepting_lasso<P: Product>(product: &mut P, lasso: &Lasso) -> Result<(), String> {
    let mut search = Search::new(product, Limits::default(), None);
    judge_lasso(&mut search, lasso).unwrap_or_else(|_| Err("a search without limits was stopped".to_string()))
}

/// The same within the limits of a search, where arcs that are looked at are not counted.
pub fn judge_lasso<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    lasso: &Lasso,
) -> Result<Result<(), String>, Stopped> {
    search.uncounted(|search| {
        let Some(entry) = lasso.cycle.first() else { return Ok(Err("the cycle is empty".to_string())) };
        let first = lasso.prefix.first().unwrap_or(entry).state;
        if !search.initial_states().contains(&first) {
            return Ok(Err(format!("state {} is not initial", first.0)));
        }
        let end = match follow(search, first, &lasso.prefix)? {
            Ok((end, _)) => end,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let (end, met) = match follow(search, end, &lasso.cycle)? {
            Ok(reached) => reached,
            Err(wrong) => return Ok(Err(wrong)),
        };
        if end != entry.state {
            let (entry, end) = (entry.state.0, end.0);
            return Ok(Err(format!("the cycle begins in state {entry} and ends in state {end}")));
        }
        if let Some(set) = (search.all_marks() - met).first() {
            return Ok(Err(format!("the cycle does not meet set {set}")));
        }
        let pairs = search.product().pairs().to_vec();
        let unsatisfied = pairs.iter().find(|pair| !pair.is_satisfied(met));
        Ok(match unsatisfied {
            Some(Pair { first, second }) => Err(format!("the cycle meets mark {first} without {second:?}")),
            None => Ok(()),
        })
    })
}

/// Where the steps lead from a state, and the marks on the way; or what is wrong with them.
fn follow<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    from: StateId,
    steps: &[ProductStep],
) -> Result<Result<(StateId, P::Marks), String>, Stopped> {
    let (mut at, mut met) = (from, P::Marks::NONE);
    let mut arcs = Vec::new();
    for step in steps {
        if step.state != at {
            let (at, next) = (at.0, step.state.0);
            return Ok(Err(format!("the run is in state {at}, the next step begins in state {next}")));
        }
        arcs.clear();
        search.post(at, &mut arcs, 0, 0)?;
        let Some(arc) = arcs.get(step.arc as usize) else {
            return Ok(Err(format!("state {} has {} arcs, none with number {}", at.0, arcs.len(), step.arc)));
        };
        at = arc.to;
        met |= arc.marks;
    }
    Ok(Ok((at, met)))
}

/// The same lasso, by its states and marks, in a product that has more arcs from now on: `change` makes it
/// so. None if the product stops before that, or if an arc is not there any more.
pub fn in_larger_product<P: Product>(
    product: &mut P,
    lasso: &Lasso,
    limits: Limits,
    change: impl FnOnce(),
) -> Option<Lasso> {
    let steps = || lasso.prefix.iter().chain(&lasso.cycle);
    let mut search = Search::new(product, limits, None);
    search.uncounted(|search| {
        let mut arcs = Vec::new();
        let mut taken = Vec::new();
        for step in steps() {
            arcs.clear();
            search.post(step.state, &mut arcs, 0, 0).ok()?;
            taken.push(*arcs.get(step.arc as usize)?);
        }
        change();
        let mut again = Vec::new();
        for (step, taken) in steps().zip(&taken) {
            arcs.clear();
            search.post(step.state, &mut arcs, 0, 0).ok()?;
            let arc = arcs.iter().position(|arc| arc.to == taken.to && arc.marks == taken.marks)?;
            again.push(ProductStep { state: step.state, arc: arc as u32 });
        }
        let cycle = again.split_off(lasso.prefix.len());
        Some(Lasso { prefix: again, cycle })
    })
}
