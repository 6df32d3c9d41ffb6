//! What the papers say of their experiments, on models of our own.
//!
//! SE05 is Schwoon and Esparza 2005 (section 7 and Table 1), GS09 Gaiser and Schwoon 2009 (section 5). The
//! models of Table 1 are the two elections; the relations between the columns of that table are asserted on
//! them and on all other cases of the suite of the papers. Each test is one statement of a paper, and says
//! where it is stronger than what our cases show. `table_1.txt` is the table itself, with our numbers.

mod table_1_support;

use expect_test::expect_file;
use table_1_support::{CASES, Case, VARIANTS, table};

/// A kind of cases.
type Kind = fn(&Case) -> bool;

const HAS_CYCLES: Kind = |case| case.violated;
const NO_CYCLES: Kind = |case| !case.violated;
const WEAK_WITH_CYCLES: Kind = |case| case.violated && case.weak;
const STRONG_WITH_CYCLES: Kind = |case| case.violated && !case.weak;
const EVERY: Kind = |_| true;

/// In all cases of a kind, of which there are some, this is so.
#[track_caller]
fn always(kind: Kind, is_so: impl Fn(&Case) -> bool) {
    let (so, not): (Vec<&Case>, Vec<&Case>) =
        CASES.iter().filter(|case| kind(case)).partition(|case| is_so(case));
    let shown: String = not.iter().map(|case| case.to_string()).collect();
    assert!(not.is_empty(), "not so in {} cases of {}:\n{shown}", not.len(), so.len() + not.len());
    assert!(so.len() >= 10, "only {} cases", so.len());
}

/// In that many cases of a kind, at least, this is so.
#[track_caller]
fn at_least(least: usize, kind: Kind, is_so: impl Fn(&Case) -> bool) {
    let so: Vec<String> = CASES
        .iter()
        .filter(|case| kind(case) && is_so(case))
        .map(|case| format!("{} {}", case.model, case.property))
        .collect();
    assert!(so.len() >= least, "so in {} cases only: {so:?}", so.len());
}

/// In each of the two elections, there is a case of a kind in which this is so.
#[track_caller]
fn in_each_variant(kind: Kind, is_so: impl Fn(&Case) -> bool) {
    for variant in VARIANTS {
        at_least(1, kind, |case| case.model == variant && is_so(case));
    }
}

#[test]
fn all_algorithms_agree() {
    always(EVERY, |case| {
        let expected = if case.violated { "violated" } else { "holds" };
        case.runs.values().all(|run| run.verdict == expected)
            && case.expected.as_deref().is_none_or(|known| known == expected)
    });
    // All but the naive one, and what needs a weak or terminal automaton.
    always(EVERY, |case| case.runs.len() >= 11);
    assert!(CASES.len() >= 60);
}

/// SE05, Table 1: weak and strong automata, with accepting cycles and without, in both variants.
#[test]
fn both_variants_have_all_kinds_of_cases() {
    for (weak, violated) in [(true, true), (true, false), (false, true), (false, false)] {
        in_each_variant(EVERY, |case| case.weak == weak && case.violated == violated);
    }
}

/// SE05 §7: the third search of GMZ, for black states, never paid.
#[test]
fn gmz_is_never_faster_than_se() {
    always(EVERY, |case| {
        case.transitions("gmz") >= case.transitions("se") && case.visited("gmz") >= case.visited("se")
    });
    // It is slower in 19 of the 40 cases with cycles, and sees more states in 5 of them.
    at_least(15, HAS_CYCLES, |case| case.transitions("gmz") > case.transitions("se"));
    in_each_variant(HAS_CYCLES, |case| case.transitions("gmz") > case.transitions("se"));
    in_each_variant(HAS_CYCLES, |case| case.visited("gmz") > case.visited("se"));
}

/// SE05 §7: three times the new algorithm found cycles before the other nested ones, and then as early as the
/// algorithms by components, by luck. GS09 §5, the third effect: HPY sees cycles in its nested search only,
/// SE and AND some of them in the outer one; then HPY is the worst, and all others are equal.
#[test]
fn se_finds_cycles_in_its_outer_search_and_hpy_only_later() {
    always(EVERY, |case| {
        case.transitions("hpy") >= case.transitions("se") && case.visited("hpy") >= case.visited("se")
    });
    always(HAS_CYCLES, |case| case.run("hpy").found_nested);
    in_each_variant(HAS_CYCLES, |case| {
        let (se, hpy) = (case.run("se"), case.run("hpy"));
        !se.found_nested && hpy.transitions > se.transitions && hpy.visited > se.visited
    });
    at_least(15, HAS_CYCLES, |case| {
        let least = case.transitions("gv");
        ["se", "and", "c99", "ascc"].iter().all(|name| case.transitions(name) == least)
            && case.transitions("hpy") > least
    });
    // The coincidence: elsewhere se is faster than the other two, and slower than gv.
    in_each_variant(STRONG_WITH_CYCLES, |case| {
        let se = case.transitions("se");
        case.transitions("hpy").min(case.transitions("gmz")) > se && se > case.transitions("gv")
    });
    // And there are cycles that se sees only in its nested search; never on weak automata.
    at_least(3, STRONG_WITH_CYCLES, |case| case.run("se").found_nested && case.run("and").found_nested);
    always(WEAK_WITH_CYCLES, |case| !case.run("se").found_nested && !case.run("and").found_nested);
}

/// SE05 §3.1: the improvement of Holzmann, Peled and Yannakakis over the first nested search is to stop at
/// any state on the path, not only at the seed. It finds cycles earlier; where there are none, it makes no
/// difference.
#[test]
fn hpy_stops_earlier_than_cvwy() {
    always(HAS_CYCLES, |case| {
        case.transitions("hpy") <= case.transitions("cvwy") && case.visited("hpy") <= case.visited("cvwy")
    });
    at_least(30, HAS_CYCLES, |case| case.transitions("hpy") < case.transitions("cvwy"));
    in_each_variant(HAS_CYCLES, |case| case.visited("hpy") < case.visited("cvwy"));
    always(NO_CYCLES, |case| case.transitions("hpy") == case.transitions("cvwy"));
}

/// SE05 §7: the stack of roots of Couvreur's algorithm is often much smaller than that of the current states
/// of GV.
#[test]
fn roots_are_fewer_than_current_states() {
    always(EVERY, |case| {
        let (c99, gv, ascc) = (case.run("c99"), case.run("gv"), case.run("ascc"));
        c99.roots <= gv.active
            && c99.roots <= c99.depth
            && (ascc.roots, ascc.active) == (c99.roots, gv.active)
    });
    // Where there is a cycle, ours are found before a component has grown large.
    in_each_variant(NO_CYCLES, |case| 10 * case.run("c99").roots <= case.run("gv").active);
}

/// SE05 §7, on the third section of Table 1: all algorithms see the whole graph, and differ only in
/// transitions and in their own stacks. Our depth counts the path of a nested search together with that of
/// the outer one, so that nested algorithms may be deeper; `reach` is a breadth-first search.
#[test]
fn without_cycles_all_explore_the_whole_graph() {
    always(NO_CYCLES, |case| {
        let gv = case.run("gv");
        case.runs.iter().all(|(name, run)| match *name {
            "reach" => run.visited == gv.visited,
            "cvwy" | "cvwy-gen" | "hpy" | "gmz" | "se" | "and" => {
                run.visited == gv.visited && run.depth >= gv.depth && run.depth <= 2 * gv.depth
            }
            _ => (run.visited, run.depth) == (gv.visited, gv.depth),
        })
    });
}

/// SE05 §4.2 and the third section of Table 1: Couvreur's algorithm touches every transition twice. So does
/// GMZ in the table, and on our elections; its bound is three times, and four of the other cases need
/// slightly more than twice.
#[test]
fn without_cycles_transitions_are_generated_once_twice_or_in_between() {
    always(NO_CYCLES, |case| {
        let all = case.transitions("gv");
        let between =
            |name: &str, least: u64, most: u64| (least * all..=most * all).contains(&case.transitions(name));
        case.run("gv").post_calls == case.visited("gv")
            && ["ascc", "tarjan"].iter().all(|name| between(name, 1, 1))
            && between("c99", 2, 2)
            && ["cvwy", "hpy", "se", "and"].iter().all(|name| between(name, 1, 2))
            && between("gmz", 2, 3)
            && case.transitions("hpy") == case.transitions("se")
            && case.transitions("and") <= case.transitions("se")
    });
    always(
        |case| !case.violated && VARIANTS.contains(&case.model.as_str()),
        |case| case.transitions("gmz") == case.transitions("c99"),
    );
    // In between: more than once, less than twice.
    in_each_variant(NO_CYCLES, |case| {
        let (gv, se) = (case.transitions("gv"), case.transitions("se"));
        gv < se && se < case.transitions("c99") && case.transitions("and") == gv
    });
    at_least(3, NO_CYCLES, |case| case.transitions("gmz") > case.transitions("c99"));
}

/// SE05 §7: the algorithms by components found cycles earlier than HPY and GMZ on all weak automata, and
/// three times earlier than the new nested one. Than GMZ not on all of ours: `gmz` generates as many
/// transitions as `gv` on 13 of 18, among them election_extinction_same zero_leads, where the outer search
/// closes the cycle before it has gone back from any state.
#[test]
fn component_based_algorithms_find_cycles_first() {
    always(HAS_CYCLES, |case| {
        let (gv, se, hpy) = (case.run("gv"), case.run("se"), case.run("hpy"));
        gv.visited <= se.visited
            && se.visited <= hpy.visited
            && gv.transitions <= se.transitions
            && se.transitions <= hpy.transitions
    });
    always(WEAK_WITH_CYCLES, |case| {
        let least = case.transitions("gv");
        case.transitions("hpy") > least && case.transitions("gmz") >= least
    });
    at_least(5, WEAK_WITH_CYCLES, |case| case.transitions("gmz") > case.transitions("gv"));
    // GS09 §5: on strong automata by a factor of up to six. Up to forty here.
    in_each_variant(STRONG_WITH_CYCLES, |case| case.transitions("se") > 10 * case.transitions("gv"));
    at_least(8, STRONG_WITH_CYCLES, |case| case.visited("se") > case.visited("gv"));
}

/// GS09 §5: no other algorithm for one acceptance set was better than GV in any case, and ASCC is as good.
/// §4: GV and C99 stop after the same states and transitions.
#[test]
fn no_algorithm_beats_gv_and_ascc_equals_it() {
    always(EVERY, |case| {
        let gv = case.run("gv");
        case.runs.values().all(|run| run.transitions >= gv.transitions && run.visited >= gv.visited)
    });
    always(EVERY, |case| {
        let (gv, ascc, c99) = (case.run("gv"), case.run("ascc"), case.run("c99"));
        (ascc.visited, ascc.transitions, ascc.post_calls, ascc.depth)
            == (gv.visited, gv.transitions, gv.post_calls, gv.depth)
            && (c99.visited, c99.depth) == (gv.visited, gv.depth)
    });
    // Tarjan's algorithm itself sees a component only when it is complete.
    in_each_variant(HAS_CYCLES, |case| case.visited("tarjan") > 10 * case.visited("gv"));
}

/// GS09 §5: on weak automata GV, C99, SE, AND and SD explore the least that is possible, HPY does not. There
/// AND was as fast as GV and SD, though it need not be.
#[test]
fn on_weak_automata_all_but_hpy_explore_the_same() {
    always(
        |case| case.weak,
        |case| {
            let gv = case.run("gv");
            ["se", "and", "sd", "c99", "ascc"].iter().all(|name| case.visited(name) == gv.visited)
                && ["and", "sd"].iter().all(|name| case.transitions(name) == gv.transitions)
        },
    );
    at_least(3, WEAK_WITH_CYCLES, |case| case.visited("hpy") > case.visited("gv"));
}

/// GS09 §5, the first two effects. Accepting states that are components of their own: GV, SD and AND look at
/// them once; C99, SE and HPY twice. Components without an accepting state before them: only C99 looks twice.
/// (And GMZ, which looks at everything once more, but is not among the six.)
#[test]
fn the_structural_effects_are_there() {
    at_least(
        3,
        |case| case.weak && !case.violated,
        |case| {
            let gv = case.transitions("gv");
            ["sd", "and", "ascc"].iter().all(|name| case.transitions(name) == gv)
                && ["c99", "se", "hpy"].iter().all(|name| case.transitions(name) == 2 * gv)
        },
    );
    in_each_variant(NO_CYCLES, |case| {
        let gv = case.transitions("gv");
        ["se", "and", "hpy", "ascc"].iter().all(|name| case.transitions(name) == gv)
            && case.transitions("c99") == 2 * gv
    });
}

/// SE05 §7: counterexamples were almost always as long as the search was deep, and else little shorter. So
/// they are where the lasso is the path itself. `gv`, `c99` and `ascc` know the component, and look for a
/// cycle in it. From the goal of `gv`, which is deep on the path, it goes back over the path: prefix and
/// cycle together are longer than the depth in 31 of 40 cases. `c99` begins at a root, and is longer in one
/// case: 17 + 11 steps at a depth of 26 in lending_desk told_so_reads.
#[test]
fn counterexamples_are_as_long_as_the_path() {
    always(HAS_CYCLES, |case| {
        ["cvwy", "hpy", "gmz", "se", "and"].iter().all(|name| {
            let run = case.run(name);
            run.prefix + run.cycle <= run.depth
        })
    });
    always(HAS_CYCLES, |case| case.runs.values().all(|run| run.cycle > 0 && run.prefix < run.depth));
    for name in ["se", "and", "c99", "ascc"] {
        at_least(20, HAS_CYCLES, |case| case.run(name).prefix + case.run(name).cycle == case.run(name).depth);
    }
    for name in ["c99", "ascc"] {
        at_least(39, HAS_CYCLES, |case| case.run(name).prefix + case.run(name).cycle <= case.run(name).depth);
    }
}

/// SE05 §7: who found a cycle earlier showed a shorter counterexample, always, though nothing says it must be
/// so. It is not so in one of ours: in lending_desk told_so_reads all find the cycle at the same time, and
/// `c99` shows 17 + 11 steps, `se` 19 + 7.
#[test]
fn earlier_detection_means_shorter_counterexamples() {
    let length = |case: &Case, name: &str| case.run(name).prefix + case.run(name).cycle;
    always(HAS_CYCLES, |case| {
        length(case, "se") <= length(case, "hpy") && case.run("c99").depth <= case.run("se").depth
    });
    at_least(39, HAS_CYCLES, |case| length(case, "c99") <= length(case, "se"));
    in_each_variant(HAS_CYCLES, |case| {
        length(case, "c99") < length(case, "se") && length(case, "se") < length(case, "hpy")
    });
}

/// SE05, Table 1, with our models and formulas. After a change of the translation or of the order of
/// successors: `UPDATE_EXPECT=1`.
#[test]
fn table_1() {
    expect_file!["table_1.txt"].assert_eq(&table::of_variants());
}
