//! What the papers say of one check compared with another, on one and the same product of a model and a
//! formula.
//!
//! The same is tested on all small graphs and on random ones (`crates/search/tests/emptiness_relations.rs`);
//! products have other shapes: large components, long stems, several arcs between two states. "The same
//! exploration" is the same number of states visited and of arcs taken by the outer search; as all follow one
//! order, they stop at the same arc.

use lariat_ltl::strength::Strength;
use lariat_search::Counts;
use lariat_search::emptiness::Check;

/// What is known of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// At most one acceptance set, on states.
    pub one_set: bool,
    /// Of the automaton.
    pub strength: Strength,
    pub sets: u32,
    /// There is an accepting lasso.
    pub found: bool,
    /// States that Tarjan's algorithm visits: all, if there is no lasso.
    pub states: u64,
}

/// A check that was run.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub check: Check,
    pub found: bool,
    pub counts: Counts,
}

/// Says which relation does not hold, with the counts.
pub fn hold(facts: &Facts, counted: &[Counted]) -> Result<(), String> {
    let of = |name: &str| {
        let check = Check::by_name(name);
        let found = counted.iter().find(|counted| Some(counted.check) == check);
        found.map(|counted| counted.counts).ok_or_else(|| format!("{name} was not run"))
    };
    let exploration = |name: &str| of(name).map(|counts| (counts.visited, counts.explored));
    let claim = |holds: bool, what: &str, names: &[&str]| match holds {
        true => Ok(()),
        false => {
            Err(names.iter().fold(what.to_string(), |text, name| format!("{text}\n{name}: {:?}", of(name))))
        }
    };

    for Counted { check, counts, .. } in counted {
        let description = check.description();
        if let Some(posts) = description.posts {
            let most = u64::from(posts.at(facts.sets)) * counts.visited;
            claim(counts.post_calls <= most, "post is called too often", &[description.name])?;
        }
        let all = facts.found || counts.visited == facts.states;
        claim(all, "not everything is seen, though nothing is found", &[description.name, "tarjan"])?;
    }
    claim(exploration("ascc")? == exploration("c99")?, "not the same exploration", &["ascc", "c99"])?;
    for name in ["ascc", "tarjan"] {
        let counts = of(name)?;
        claim(counts.post_calls == counts.visited, "not one call of post for each state", &[name])?;
    }
    if !facts.one_set {
        return Ok(());
    }

    let least = of("gv")?;
    claim(exploration("ascc")? == exploration("gv")?, "not the same exploration", &["ascc", "gv"])?;
    claim(least.post_calls == least.visited, "not one call of post for each state", &["gv"])?;
    for Counted { check, counts, .. } in counted {
        let name = check.description().name;
        // It does not look behind an accepting state.
        if *check == Check::Reachability {
            continue;
        }
        claim(counts.transitions >= least.transitions, "fewer transitions than gv", &[name, "gv"])?;
        // `lasso` counts the arcs of its inner searches as transitions only.
        let more = counts.explored >= least.explored && counts.visited >= least.visited;
        claim(more || *check == Check::NaiveLasso, "less explored than gv", &[name, "gv"])?;
    }

    let (se, and, hpy, cvwy, gmz) = (of("se")?, of("and")?, of("hpy")?, of("cvwy")?, of("gmz")?);
    claim(exploration("se")? == exploration("and")?, "not the same exploration", &["se", "and"])?;
    claim(and.transitions <= se.transitions, "more transitions than se", &["and", "se"])?;
    claim(se.transitions <= hpy.transitions, "more transitions than hpy", &["se", "hpy"])?;
    claim(hpy.transitions <= cvwy.transitions, "more transitions than cvwy", &["hpy", "cvwy"])?;
    claim(se.transitions <= gmz.transitions, "more transitions than gmz", &["se", "gmz"])?;
    claim(hpy.found_nested == facts.found, "found by the outer search", &["hpy"])?;
    claim(cvwy.found_nested == facts.found, "found by the outer search", &["cvwy"])?;
    if !facts.found {
        let c99 = of("c99")?;
        let twice = c99.post_calls == 2 * c99.visited && c99.transitions == 2 * least.transitions;
        claim(twice, "not everything is looked at twice", &["c99", "gv"])?;
        claim(gmz.transitions >= c99.transitions, "fewer transitions than c99", &["gmz", "c99"])?;
        let same = hpy.transitions == cvwy.transitions && hpy.transitions == se.transitions;
        claim(same, "not the same transitions", &["cvwy", "hpy", "se"])?;
        claim(hpy.transitions <= c99.transitions, "more transitions than c99", &["hpy", "c99"])?;
    }

    if facts.strength <= Strength::Weak {
        for name in ["se", "and", "sd"] {
            claim(exploration(name)? == exploration("gv")?, "not the same exploration, weak", &[name, "gv"])?;
        }
        let sd = of("sd")?;
        claim(!se.found_nested && !and.found_nested, "found by the nested search, weak", &["se", "and"])?;
        let once = sd.post_calls == sd.visited && sd.transitions == least.transitions;
        claim(once, "not everything is looked at once", &["sd", "gv"])?;
        if and.post_calls == and.visited {
            claim(and.transitions == sd.transitions, "not the same without red work", &["and", "sd"])?;
        } else {
            claim(and.transitions >= sd.transitions, "fewer transitions than sd", &["and", "sd"])?;
        }
    }
    Ok(())
}
