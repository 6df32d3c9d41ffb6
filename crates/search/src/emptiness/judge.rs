//! Is this lasso an accepting run? Asks nobody but the product.
//!
//! Every lasso is judged before anybody sees it, and again after it was shortened. The judge knows nothing of how it was found.

use super::{Lasso, Product, ProductStep};
use lariat_ltl::Marks;
use lariat_store::StateId;

/// It begins in an initial state, every step takes an arc that exists and leads to where the next step begins, the last
/// step of the cycle leads to where the cycle begins, and the cycle meets every set.
pub fn is_accepting_lasso<P: Product>(product: &mut P, lasso: &Lasso) -> Result<(), String> {
    let Some(entry) = lasso.cycle.first() else { return Err("the cycle is empty".to_string()) };
    let mut initial = Vec::new();
    product.initial_states(&mut initial);
    let first = lasso.prefix.first().unwrap_or(entry).state;
    if !initial.contains(&first) {
        return Err(format!("state {} is not initial", first.0));
    }
    let (end, _) = follow(product, first, &lasso.prefix)?;
    let (end, met) = follow(product, end, &lasso.cycle)?;
    if end != entry.state {
        return Err(format!("the cycle begins in state {} and ends in state {}", entry.state.0, end.0));
    }
    match (Marks::all(product.sets()) - met).iter().next() {
        Some(set) => Err(format!("the cycle does not meet set {set}")),
        None => Ok(()),
    }
}

/// Where the steps lead from a state, and the marks on the way.
fn follow<P: Product>(
    product: &mut P,
    from: StateId,
    steps: &[ProductStep],
) -> Result<(StateId, Marks), String> {
    let (mut at, mut met) = (from, Marks::NONE);
    let mut arcs = Vec::new();
    for step in steps {
        if step.state != at {
            return Err(format!(
                "the run is in state {}, the next step begins in state {}",
                at.0, step.state.0
            ));
        }
        arcs.clear();
        product.post(at, &mut arcs);
        let Some(arc) = arcs.get(step.arc as usize) else {
            return Err(format!("state {} has {} arcs, none with number {}", at.0, arcs.len(), step.arc));
        };
        at = arc.to;
        met |= arc.marks;
    }
    Ok((at, met))
}
