//! The checks by strongly connected components.

use super::Moment::*;
use super::{Line, line};

/// Schwoon and Esparza 2005, §4; the slides of 2025.
pub const TARJAN: &[Line] = &[
    line("for each initial state s without a number:", &[Start]),
    line("  dfs(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s.number := s.lowlink := next number", &[Visit]),
    line("  push s on Current", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t has no number: dfs(t)", &[]),
    line("    if t is current: s.lowlink :=", &[Lowlink]),
    line("      min(s.lowlink, t.lowlink)", &[Lowlink]),
    line("  if s.lowlink = s.number:", &[]),
    line("    if the component accepts: report a cycle", &[Found]),
    line("    pop the component off Current", &[Complete]),
    line("  return", &[Leave]),
];

/// Schwoon and Esparza 2005, Fig. 7.
pub const TARJAN_GOAL: &[Line] = &[
    line("for each initial state s without a number:", &[Start]),
    line("  dfs(s, s if it accepts, else none)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s, goal):", &[]),
    line("  s.number := s.lowlink := next number", &[Visit]),
    line("  push s on Current", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t has no number:", &[]),
    line("      dfs(t, t if it accepts, else goal)", &[]),
    line("    if t is current:", &[]),
    line("      s.lowlink := min(s.lowlink, t.lowlink)", &[Lowlink]),
    line("      if s.lowlink ≤ goal.number: report a cycle", &[Found]),
    line("  if s.lowlink = s.number:", &[]),
    line("    pop the component off Current", &[Complete]),
    line("  return", &[Leave]),
];

/// Schwoon and Esparza 2005, Fig. 5, with the sets of §5.2.
pub const ROOTS_AND_REMOVAL: &[Line] = &[
    line("for each initial state s without a number:", &[Start]),
    line("  dfs(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s gets the next number, and is current", &[Visit]),
    line("  push s on Roots", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t has no number: dfs(t)", &[]),
    line("    else if t is current:", &[]),
    line("      pop Roots until root.number ≤ t.number,", &[Merge]),
    line("        and unite the sets of what is popped", &[Merge]),
    line("      if all sets are met: report a cycle", &[Found]),
    line("  if s is the top of Roots:", &[]),
    line("    pop it;  remove(s)", &[Nested, NestedOver]),
    line("  return", &[Leave]),
    line("", &[]),
    line("remove(s):", &[]),
    line("  if s is current: it no longer is", &[NestedRemove]),
    line("    for each successor t of s: remove(t)", &[NestedExpand, NestedArc]),
];

/// Gaiser and Schwoon 2009, Fig. 2, with ≤ in line 20.
pub const ROOTS_AND_ACTIVE: &[Line] = &[
    line("for each initial state s without a number:", &[Start]),
    line("  dfs(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s gets the next number, and is current", &[Visit]),
    line("  push s on Roots and on Active", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t has no number: dfs(t)", &[]),
    line("    else if t is current:", &[]),
    line("      pop Roots until root.number ≤ t.number,", &[Merge]),
    line("        and unite the sets of what is popped", &[Merge]),
    line("      if all sets are met: report a cycle", &[Found]),
    line("  if s is the top of Roots: pop it, and", &[Complete]),
    line("    pop Active down to s: not current", &[Complete]),
    line("  return", &[Leave]),
];

/// After Emerson and Lei 1987; components as in Gaiser and Schwoon 2009, Fig. 2.
pub const STREETT: &[Line] = &[
    line("for each initial state s without a number:", &[Start]),
    line("  dfs(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("dfs(s):", &[]),
    line("  s gets the next number, and is current", &[Visit]),
    line("  push s on Roots and on Active", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t has no number: dfs(t)", &[]),
    line("    else if t is current:", &[]),
    line("      pop Roots until root.number ≤ t.number,", &[Merge]),
    line("        and unite the marks of what is popped", &[Merge]),
    line("      if sets and pairs are met: report a cycle", &[Found]),
    line("  if s is the top of Roots: pop it", &[]),
    line("    if the sets are met: refine the component", &[Nested, NestedOver]),
    line("    pop Active down to s: not current", &[Complete]),
    line("  return", &[Leave]),
    line("", &[]),
    line("refine(component):", &[]),
    line("  take out arcs with marks that cannot be met", &[]),
    line("  for each component of what is left:", &[NestedVisit, NestedExpand, NestedArc, NestedLeave]),
    line("    if sets and pairs are met: report a cycle", &[NestedFound]),
    line("    else if the sets are met: refine it", &[]),
];
