//! Round 3: points with choices get the transitions of their options.
//!
//! Choices among choices are flattened first, in order. What is said of a point (`end`, `progress`, `accept`)
//! also holds of the points that are reached through it. Then the transitions of escapes are put in front.

use super::label_effects::{PlacedLabel, warnings};
use super::links::{Draft, Link, Links};
use super::{AutomatonNumbers, Element, ElementId, Flow, LabelName, Node};
use lariat_model::ir::{Label, Location, LocationInfo, SourceLine, Statement};
use lariat_source::{Diagnostic, Span};

/// The automaton of one process type.
pub struct FinishedFlow {
    pub start: Location,
    pub locations: Vec<LocationInfo>,
    pub statements: Vec<Statement>,
    pub labels: Vec<Label>,
    /// What Spin's trails call the statements.
    pub numbers: AutomatonNumbers,
    /// The first label that begins with `accept`.
    pub accept_label: Option<Span>,
    /// About labels that are not seen; of processes, claims are seen everywhere.
    pub label_warnings: Vec<Diagnostic>,
    pub diagnostics: Vec<Diagnostic>,
}

struct Marks {
    end: Vec<bool>,
    progress: Vec<bool>,
    accept: Vec<bool>,
}

impl Marks {
    /// What is said of a point that was passed through holds of where it leads.
    fn inherit(&mut self, to: Location, through: Location) {
        let (to, through) = (to as usize, through as usize);
        for marks in [&mut self.end, &mut self.progress, &mut self.accept] {
            marks[to] |= marks[through];
        }
    }
}

impl Flow {
    pub(super) fn pull(self, links: Links, start: ElementId, end: Option<Location>) -> FinishedFlow {
        let count = self.next_number as usize;
        let mut marks = self.marks(count, end);
        let mut points = links.points;
        // Choices among choices are flattened.
        loop {
            let mut flattened = false;
            for i in 1..count {
                let Some(Link::Choice(starts)) = points[i].first() else { continue };
                let is_choice = |s: &Location| matches!(points[*s as usize].first(), Some(Link::Choice(_)));
                if !starts.iter().any(is_choice) {
                    continue;
                }
                let mut flat = Vec::new();
                for s in starts {
                    match points[*s as usize].first() {
                        Some(Link::Choice(inner)) if *s as usize != i => {
                            flat.extend(inner.iter().map(|t| (*t, *s)));
                            flattened = true;
                        }
                        Some(Link::Choice(_)) => {}
                        _ => flat.push((*s, *s)),
                    }
                }
                for (to, through) in &flat {
                    marks.inherit(*to, *through);
                }
                points[i] = vec![Link::Choice(flat.into_iter().map(|(to, _)| to).collect())];
            }
            if !flattened {
                break;
            }
        }
        // A point with choices gets the transitions of its options.
        for i in 1..count {
            let Some(Link::Choice(starts)) = points[i].first().cloned() else { continue };
            let mut pulled = Vec::new();
            for s in starts {
                for link in &points[s as usize] {
                    if let Link::Step(draft) = link {
                        marks.inherit(draft.transition.target, s);
                        pulled.push(Link::Step(draft.clone()));
                    }
                }
            }
            points[i] = pulled;
        }
        let mut steps: Vec<Vec<Draft>> = points
            .into_iter()
            .map(|links| {
                links.into_iter().filter_map(|l| if let Link::Step(d) = l { Some(d) } else { None }).collect()
            })
            .collect();
        self.prepend_escapes(&mut steps);
        for (i, drafts) in steps.iter().enumerate() {
            if let [only] = &drafts[..]
                && marks.end[i]
                && self.by_number(only.transition.statement).is_some_and(|e| matches!(e.node, Node::Meet))
            {
                marks.end[only.transition.target as usize] = true;
            }
        }
        self.assemble(steps, marks, start)
    }

    /// In front of each point's transitions stand those of its escapes.
    fn prepend_escapes(&self, steps: &mut [Vec<Draft>]) {
        let most = steps.iter().flatten().map(|d| d.escapes.len()).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        for i in 1..steps.len() {
            let own = steps[i].clone();
            for draft in own {
                for k in (0..most).rev() {
                    let Some(&escape) = draft.escapes.get(k) else { continue };
                    for candidate in steps[escape as usize].clone() {
                        if steps[i].iter().any(|d| d.transition.statement == candidate.transition.statement) {
                            continue;
                        }
                        let mut copy = candidate;
                        copy.transition.escape = escape;
                        steps[i].insert(0, copy);
                    }
                }
            }
        }
    }

    fn by_number(&self, number: u32) -> Option<&Element> {
        self.elements.iter().find(|e| e.number == number)
    }

    fn marks(&self, count: usize, end: Option<Location>) -> Marks {
        let mut marks =
            Marks { end: vec![false; count], progress: vec![false; count], accept: vec![false; count] };
        for label in &self.labels {
            let LabelName::User(name) = &label.name else { continue };
            let at = self.elements[label.element.0].number as usize;
            marks.end[at] |= name.starts_with("end");
            marks.progress[at] |= name.starts_with("progress");
            marks.accept[at] |= name.starts_with("accept");
        }
        if let Some(end) = end {
            marks.end[end as usize] = true;
        }
        marks
    }

    fn assemble(self, steps: Vec<Vec<Draft>>, marks: Marks, start: ElementId) -> FinishedFlow {
        let mut statements = vec![Statement::default(); steps.len()];
        let mut lines = vec![SourceLine::default(); steps.len()];
        for element in &self.elements {
            let i = element.number as usize;
            lines[i] = element.line;
            statements[i] =
                Statement { line: element.line, text: element.text.clone(), reported: !element.unreported };
        }
        let locations = steps
            .into_iter()
            .enumerate()
            .map(|(i, drafts)| LocationInfo {
                transitions: drafts.into_iter().map(|d| d.transition).collect(),
                end: marks.end[i],
                progress: marks.progress[i],
                accept: marks.accept[i],
                dead: Vec::new(),
                line: lines[i],
                ..LocationInfo::default()
            })
            .collect();
        let placed: Vec<PlacedLabel> = self
            .labels
            .iter()
            .filter_map(|l| match &l.name {
                LabelName::User(name) => {
                    let location = self.elements[l.element.0].number;
                    Some(PlacedLabel { name: name.clone(), span: l.span, location })
                }
                LabelName::Break(_) => None,
            })
            .collect();
        let label = |placed: &PlacedLabel| Label { name: placed.name.clone(), location: placed.location };
        let mut finished = FinishedFlow {
            start: self.elements[start.0].number,
            locations,
            statements,
            labels: placed.iter().map(label).collect(),
            numbers: AutomatonNumbers::default(),
            accept_label: placed.iter().find(|l| l.name.starts_with("accept")).map(|l| l.span),
            label_warnings: Vec::new(),
            diagnostics: self.diagnostics,
        };
        finished.label_warnings = warnings(&placed, &finished);
        finished
    }
}
