//! The naive check, the checks for weak and terminal products, and the one that carries labels.

use super::Moment::*;
use super::{Line, line};

/// The naive solution of the slides of 2025, for any number of sets.
pub const NAIVE_LASSO: &[Line] = &[
    line("for each initial state s not visited: dfs(s)", &[Start]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s is visited", &[Visit]),
    line("  if an arc with the first mark leaves s:", &[]),
    line("    what does s reach, and what leads back?", &[Nested, NestedExpand]),
    line("    if the arcs between meet all sets:", &[]),
    line("      report a cycle", &[NestedFound]),
    line("    else s is on no accepting cycle", &[NestedOver]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is not visited: dfs(t)", &[]),
    line("  return", &[Leave]),
];

/// Gaiser and Schwoon 2009, §3.
pub const SIMPLE_DFS: &[Line] = &[
    line("for each initial state s that is white: dfs(s)", &[Start]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s becomes cyan", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is cyan, and s or t accepts:", &[]),
    line("      report a cycle", &[Found]),
    line("    if t is white: dfs(t)", &[]),
    line("  s becomes blue", &[LeaveBlue]),
];

/// Schwoon and Esparza 2005, §5.1.
pub const REACHABILITY: &[Line] = &[
    line("put the initial states into the queue", &[Start]),
    line("in turn, while a state waits:", &[]),
    line("  take s from the queue, or from the stack", &[Visit]),
    line("  if s accepts, and can go on for ever:", &[]),
    line("    report a cycle", &[Found]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is new: put it into the same", &[Waits]),
    line("report: no accepting run", &[Over]),
];

/// Tauriainen 2003, Fig. 2.
pub const LABEL_PROPAGATION: &[Line] = &[
    line("for each initial state q not visited: dfs(q)", &[Start]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(q):", &[]),
    line("  q is visited;  label(q) := {}", &[Visit]),
    line("  for each successor t of q:", &[Expand, Arc]),
    line("    if t is not visited: dfs(t)", &[]),
    line("  if q has a label or a mark:", &[]),
    line("    propagate label(q) and the marks of q", &[Nested, NestedOver]),
    line("    if label(q) has all sets: report a cycle", &[Found]),
    line("  return", &[Leave]),
    line("", &[]),
    line("propagate labels from q:", &[]),
    line("  for each successor t that was visited:", &[NestedExpand, NestedArc]),
    line("    if t lacks some: label(t) gets them,", &[Label]),
    line("      and they go on from t", &[Label]),
];
