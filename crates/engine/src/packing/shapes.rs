//! Shapes that a worker knows, and the plans by which it packs and unpacks their states.
//!
//! Shapes, the places of their higher bytes and the kinds of pieces are numbered in the [`SharedTables`].
//! Here is one worker's copy of them, and what follows from them: a [`Plan`] for each shape. Plans are made
//! when they are needed, and forgotten when there are too many.

use super::places::Higher;
use super::plan::{Plan, SignificantBits};
use super::shared::{Origin, SharedShape, SharedTables, Tags, Values};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// So many plans are kept. A model that creates processes in any order may have any number of shapes.
const MOST_PLANS: usize = 4096;

/// Shapes, by number, and what is known about them.
#[derive(Debug)]
pub struct Shapes {
    shared: Arc<SharedTables>,
    significant: Arc<SignificantBits>,
    known: Vec<Shape>,
    numbers: FxHashMap<Tags, u32>,
    /// By the number of the shape.
    plans: FxHashMap<u32, Arc<Plan>>,
    kinds: FxHashMap<Origin, u32>,
}

/// A shape: its frames, and the higher bytes that have a place, as far as this worker knows.
#[derive(Debug)]
struct Shape {
    tags: Tags,
    higher: Vec<Higher>,
}

impl Shapes {
    pub fn new(shared: Arc<SharedTables>, significant: Arc<SignificantBits>) -> Shapes {
        Shapes {
            shared,
            significant,
            known: Vec::new(),
            numbers: FxHashMap::default(),
            plans: FxHashMap::default(),
            kinds: FxHashMap::default(),
        }
    }

    /// The frames of a shape, if there is one with this number.
    pub fn tags(&mut self, shape: u32) -> Option<&[u16]> {
        if self.known.len() <= shape as usize {
            self.learn(None);
        }
        self.known.get(shape as usize).map(|shape| &*shape.tags)
    }

    /// The number of the shape with these frames.
    pub fn number(&mut self, tags: &[u16]) -> u32 {
        match self.numbers.get(tags) {
            Some(number) => *number,
            None => self.learn(Some(tags)),
        }
    }

    /// Copies the shapes that others have added. If one is wanted that is not there even then, it is added.
    /// The number of that one.
    #[cold]
    fn learn(&mut self, wanted: Option<&[u16]>) -> u32 {
        let mut tables = self.shared.lock();
        for shape in &tables.shapes[self.known.len()..] {
            self.numbers.insert(shape.tags.clone(), self.known.len() as u32);
            self.known.push(Shape { tags: shape.tags.clone(), higher: shape.higher.clone() });
        }
        let Some(wanted) = wanted else { return 0 };
        if let Some(number) = self.numbers.get(wanted) {
            return *number;
        }
        let number = u32::try_from(self.known.len()).expect("fewer shapes than states");
        let tags: Tags = wanted.into();
        tables.shapes.push(SharedShape { tags: tags.clone(), higher: Vec::new() });
        self.known.push(Shape { tags: tags.clone(), higher: Vec::new() });
        self.numbers.insert(tags, number);
        number
    }

    /// How states of a shape are packed, with the places that this worker knows.
    #[inline]
    pub fn plan(&mut self, shape: u32) -> Arc<Plan> {
        match self.plans.get(&shape) {
            Some(plan) => plan.clone(),
            None => self.make_plan(shape),
        }
    }

    #[cold]
    fn make_plan(&mut self, shape: u32) -> Arc<Plan> {
        if self.known.len() <= shape as usize {
            self.learn(None);
        }
        let Shapes { shared, significant, known, kinds, plans, .. } = self;
        let mut kind_of = |origin| match kinds.get(&origin) {
            Some(kind) => *kind,
            None => learn_kind(shared, kinds, origin),
        };
        let Shape { tags, higher } = &known[shape as usize];
        let plan = Arc::new(Plan::new(shape, tags, significant, higher, &mut kind_of));
        if plans.len() >= MOST_PLANS {
            plans.clear();
        }
        plans.insert(shape, plan.clone());
        plan
    }

    /// Gives a higher byte of a shape a place, unless another worker has done so. Then the shape has another
    /// plan.
    #[cold]
    pub fn add_place(&mut self, shape: u32, wanted: Higher) -> Arc<Plan> {
        self.learn_places(shape, Some(wanted))
    }

    /// The plan with the places that others have given out. It may be the same as before.
    #[cold]
    pub fn renewed_plan(&mut self, shape: u32) -> Arc<Plan> {
        self.learn_places(shape, None)
    }

    fn learn_places(&mut self, shape: u32, wanted: Option<Higher>) -> Arc<Plan> {
        if self.known.len() <= shape as usize {
            self.learn(None);
        }
        let known = &mut self.known[shape as usize].higher;
        {
            let all = &mut self.shared.lock().shapes[shape as usize].higher;
            debug_assert!(all.starts_with(known), "places are never taken back");
            known.extend_from_slice(&all[known.len()..]);
            if let Some(wanted) = wanted.filter(|wanted| !known.contains(wanted)) {
                all.push(wanted);
                known.push(wanted);
            }
        }
        self.plans.remove(&shape);
        self.make_plan(shape)
    }
}

/// The number of a kind of pieces that this worker does not know.
#[cold]
fn learn_kind(shared: &SharedTables, kinds: &mut FxHashMap<Origin, u32>, wanted: Origin) -> u32 {
    let mut tables = shared.lock();
    for number in kinds.len()..tables.kinds.len() {
        kinds.insert(tables.kinds[number], number as u32);
    }
    *kinds.entry(wanted).or_insert_with(|| {
        tables.kinds.push(wanted);
        tables.values.push(Values::default());
        tables.kinds.len() as u32 - 1
    })
}
