//! Looking for an accepting run of a product with a check that was chosen, and making it shorter.
//!
//! Each check is generic in the product, and there are many checks, many kinds of products, and two widths of
//! marks. Where speed is all, a check is compiled for its product ([`find`]). Everywhere else it sees a `dyn`
//! [`Product`], and all checks are compiled once for each width of marks, here ([`Width`]).

use crate::goal::ChosenCheck;
use crate::verdict::{RunLength, SearchOrder};
use crate::words::describe_stop;
use lariat_ltl::Marks;
use lariat_ltl::strength::Strength;
use lariat_search::emptiness::{
    CountedProduct, Lasso, Length, MarkSet, Needs, Product, Search, Stopped, WideMarks, shorten,
    shortest_lasso,
};
use lariat_search::{Counts, Limits, Progress};
use std::time::Duration;

/// States that are looked at to make a lasso shorter.
pub const MAX_SHORTENED: usize = 100_000;

/// What a check found in a product, and what it counted on the way.
pub struct Found {
    /// An accepting run, if there is one.
    pub outcome: Result<Option<Lasso>, Stopped>,
    /// What the check counted.
    pub counts: Counts,
}

/// Runs a check on a product. Nobody has judged the lasso yet.
pub fn find<P: Product>(
    product: &mut P,
    chosen: ChosenCheck,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> Found {
    let mut search = Search::new(product, limits, progress.map(|progress| progress as _));
    let outcome = chosen.check.run(&mut search);
    Found { counts: search.counts(), outcome }
}

/// Sets of marks of either width. What a search does with them is compiled here, once, and not again for
/// every product.
pub trait Width: MarkSet {
    /// As [`find()`] does it.
    fn find(
        product: &mut dyn Product<Marks = Self>,
        chosen: ChosenCheck,
        limits: Limits,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Found;

    /// The same on a product in which not all runs count: a check that knows one acceptance set gets a
    /// counter.
    fn find_among_some(
        product: &mut dyn Product<Marks = Self>,
        chosen: ChosenCheck,
        limits: Limits,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Found {
        if chosen.check.description().needs == Needs::AnySets {
            return Self::find(product, chosen, limits, progress);
        }
        let mut counted = CountedProduct::new(product);
        let found = Marks::find(&mut counted, chosen, limits, progress);
        Found { outcome: found.outcome.map(|lasso| lasso.map(|lasso| counted.uncounted(&lasso))), ..found }
    }

    /// A lasso that is shorter, or at least no longer; and whether it is a shortest one, if that was asked
    /// for. A limit that is hit only now does not take the answer back.
    fn shortened(
        product: &mut dyn Product<Marks = Self>,
        lasso: Lasso,
        order: SearchOrder,
        limits: Limits,
        timeout: Option<Duration>,
        searched: FoundBy,
    ) -> (Lasso, Option<RunLength>);
}

macro_rules! width {
    ($marks:ty) => {
        impl Width for $marks {
            fn find(
                mut product: &mut dyn Product<Marks = Self>,
                chosen: ChosenCheck,
                limits: Limits,
                progress: Option<&mut dyn FnMut(&Progress)>,
            ) -> Found {
                find(&mut product, chosen, limits, progress)
            }

            fn shortened(
                product: &mut dyn Product<Marks = Self>,
                lasso: Lasso,
                order: SearchOrder,
                limits: Limits,
                timeout: Option<Duration>,
                searched: FoundBy,
            ) -> (Lasso, Option<RunLength>) {
                shortened(product, lasso, order, limits, timeout, searched)
            }
        }
    };
}

width!(Marks);
width!(WideMarks);

/// The search that found a lasso.
#[derive(Clone, Copy)]
pub struct FoundBy {
    /// How strong the automaton is.
    pub power: Strength,
    /// How many arcs it has looked at.
    pub transitions: u64,
}

/// To find a shortest lasso, so many times as many arcs may be recorded as were looked at to find one.
const MOST_TIMES: u64 = 10;
/// So many in any case.
const MOST_ARCS_OF_ANY: u64 = 4_000_000;

impl FoundBy {
    /// How many arcs may be recorded to find a shortest lasso. Where a finite part of a run decides, that is
    /// a breadth-first search, and may take what it takes.
    fn most_arcs(self) -> u64 {
        match self.power {
            Strength::Terminal => u64::MAX,
            Strength::Weak | Strength::Strong => (MOST_TIMES * self.transitions).max(MOST_ARCS_OF_ANY),
        }
    }
}

/// As [`Width::shortened`] says.
fn shortened<K: MarkSet>(
    mut product: &mut dyn Product<Marks = K>,
    lasso: Lasso,
    order: SearchOrder,
    limits: Limits,
    timeout: Option<Duration>,
    searched: FoundBy,
) -> (Lasso, Option<RunLength>) {
    let mut search = Search::new(&mut product, limits, None);
    if order == SearchOrder::DepthFirst {
        let shorter = shorten(&mut search, &lasso, MAX_SHORTENED);
        return (shorter.unwrap_or(lasso), None);
    }
    let has_pairs = !search.product().pairs().is_empty();
    let (shorter, length) = shortest_lasso(&mut search, &lasso, searched.most_arcs());
    let length = match length {
        Length::Short if has_pairs => {
            RunLength::Short("of strongly fair runs, a shortest one is not looked for".to_string())
        }
        Length::Shortest => RunLength::Shortest,
        Length::Short => {
            RunLength::Short("to find it would take many times as long as the search".to_string())
        }
        Length::Stopped(reason) => RunLength::Short(describe_stop(reason, timeout)),
    };
    let shorter = match length {
        RunLength::Shortest => shorter,
        RunLength::Short(_) => shorten(&mut search, &shorter, MAX_SHORTENED).unwrap_or(shorter),
    };
    (shorter, Some(length))
}
