//! What the colours of a check mean.

use crate::scene::Fill;
use lariat_search::emptiness::Check;

/// The fills that a check uses, and what they say of a state.
pub fn legend(check: Check) -> &'static [(Fill, &'static str)] {
    match check {
        Check::NestedDfs | Check::NestedDfsStack => {
            &[(Fill::Blue, "seen by the blue search"), (Fill::Red, "seen by the red search too")]
        }
        Check::NestedDfsLevels => &[
            (Fill::Blue, "seen by the blue search (b, with levels)"),
            (Fill::Red, "seen by the red search (r, with levels)"),
        ],
        Check::NestedDfsBlack => &[
            (Fill::Cyan, "on the blue path"),
            (Fill::Blue, "left by the blue search"),
            (Fill::Red, "seen by the red search too"),
            (Fill::Black, "on no accepting cycle"),
        ],
        Check::NestedDfsColours | Check::NestedDfsAllRed => &[
            (Fill::Cyan, "on the blue path"),
            (Fill::Blue, "left by the blue search"),
            (Fill::Red, "on no accepting cycle, if the red search finds none"),
        ],
        Check::SimpleDfs => &[(Fill::Cyan, "on the path"), (Fill::Blue, "left")],
        Check::Tarjan | Check::TarjanGoal => {
            &[(Fill::Current, "with number/lowlink"), (Fill::Complete, "its component is complete")]
        }
        Check::RootsAndRemoval | Check::RootsAndActive | Check::Streett => {
            &[(Fill::Current, "with its number"), (Fill::Complete, "its component is complete")]
        }
        Check::NaiveLasso => &[(Fill::Visited, "by the search")],
        Check::LabelPropagation => &[(Fill::Visited, "with its label")],
        Check::Reachability => &[(Fill::Waiting, "to be looked at"), (Fill::Visited, "by the search")],
    }
}
