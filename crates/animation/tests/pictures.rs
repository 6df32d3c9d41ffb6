//! Pictures and pages: nothing moves, everything is escaped, large graphs are cut.

use crate::graphs::{Random, Small};
use lariat_animation::frame::frames;
use lariat_animation::page::page;
use lariat_animation::{About, Animation, Graph, MOST_DRAWN, MOST_EVENTS, record};
use lariat_ltl::Marks;
use lariat_search::Limits;
use lariat_search::emptiness::{ALGORITHMS, Check, ExplicitProduct};
use lariat_store::StateId;
use std::convert::Infallible;

/// Where each circle is, by the text inside: the same in all pictures of an animation.
#[test]
fn nothing_moves() {
    let mut random = Random(8);
    for _ in 0..30 {
        let graph = Small::random(&mut random);
        for row in ALGORITHMS.iter().filter(|row| graph.admits(row.check)) {
            let mut product = graph.product();
            let recording = record(&mut product, row.check, Limits::default()).unwrap();
            let seen = Graph::of(&mut product, &[&recording], |_, state| About {
                name: format!("<{}>", state.0),
                text: String::new(),
            });
            let animation = Animation::new(&seen, recording);
            let mut size = None;
            let mut count = 0;
            frames(&animation, |number, picture| {
                assert_eq!(number, count);
                count += 1;
                let head = picture.lines().next().unwrap().to_string();
                assert_eq!(size.get_or_insert(head.clone()), &head, "all pictures have one size");
                assert!(!picture.contains("<0>") && picture.contains("&lt;0&gt;"), "names are escaped");
                assert_eq!(picture.matches('<').count(), picture.matches('>').count());
                for state in &seen.states {
                    let (x, y) = (state.at.x, state.at.y + 4.5);
                    let shown = format!("x=\"{x:.1}\" y=\"{y:.1}\">&lt;{}&gt;</text>", state.id.0);
                    let name = format!(">&lt;{}&gt;</text>", state.id.0);
                    assert_eq!(picture.contains(&shown), picture.contains(&name), "{name}");
                }
                Ok::<(), Infallible>(())
            })
            .unwrap();
            assert_eq!(count, animation.steps.len());
            let places: Vec<(i64, i64)> =
                seen.states.iter().map(|state| (state.at.x as i64, state.at.y as i64)).collect();
            for (k, one) in places.iter().enumerate() {
                assert!(places[..k].iter().all(|two| (one.0 - two.0).abs() + (one.1 - two.1).abs() > 34));
            }
        }
    }
}

#[test]
fn text_of_models_is_escaped() {
    let mut product = ExplicitProduct::new(0, vec![StateId(0)], vec![Vec::new()]);
    let recording = record(&mut product, Check::RootsAndActive, Limits::default()).unwrap();
    let evil = "</script><script>alert(1)</script>";
    let graph = Graph::of(&mut product, &[&recording], |_, _| About { name: evil.into(), text: evil.into() });
    let page = page(evil, evil, &[&Animation::new(&graph, recording)]);
    assert!(!page.contains(evil) && page.matches("</script>").count() == 2);
}

/// A long line of states: cut in the picture, counted in the text, the verdict as ever.
#[test]
fn what_is_too_large_is_cut() {
    let count = MOST_EVENTS;
    let arcs: Vec<Vec<StateId>> = (0..count as u32)
        .map(|state| vec![StateId(if state as usize + 1 == count { 0 } else { state + 1 })])
        .collect();
    let mut marks = vec![Marks::NONE; count];
    marks[count - 1] = Marks::one(0);
    let mut product = ExplicitProduct::with_marked_states(1, vec![StateId(0)], &arcs, &marks);
    let one = record(&mut product, Check::NestedDfsColours, Limits::default()).unwrap();
    let two = record(&mut product, Check::RootsAndActive, Limits::default()).unwrap();
    assert!(one.not_kept > 0 && one.events.len() == MOST_EVENTS && one.counts.visited == count as u64);
    assert!(matches!(one.answer, lariat_animation::Answer::NotEmpty(_)));
    let graph = Graph::of(&mut product, &[&one, &two], |_, state| About {
        name: state.0.to_string(),
        text: String::new(),
    });
    assert!(graph.states.len() == MOST_DRAWN && graph.not_drawn > 1000);
    let animation = Animation::new(&graph, one);
    let last = animation.steps.last().unwrap();
    assert!(last.sentence.contains("further events are not shown") && last.lines.is_empty());
    let page = page("long", "", &[&animation]);
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}
