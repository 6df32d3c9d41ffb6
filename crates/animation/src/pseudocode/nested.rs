//! The nested searches.

use super::Moment::*;
use super::{Line, line};

/// Schwoon and Esparza 2005, Fig. 1.
pub const NESTED_DFS: &[Line] = &[
    line("for each initial state s that is not blue:", &[Start]),
    line("  blue(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("blue(s):", &[]),
    line("  s becomes blue", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is not blue: blue(t)", &[]),
    line("  if s accepts:", &[]),
    line("    seed := s;  red(s)", &[Nested, NestedOver]),
    line("  return", &[Leave]),
    line("", &[]),
    line("red(s):", &[]),
    line("  s becomes red", &[NestedVisit]),
    line("  for each successor t of s:", &[NestedExpand, NestedArc]),
    line("    if t is not red: red(t)", &[]),
    line("    else if t = seed: report a cycle", &[NestedFound]),
    line("  return", &[NestedLeave]),
];

/// Schwoon and Esparza 2005, §5.2.
pub const LEVELS: &[Line] = &[
    line("for each initial state s, (s, 0) not blue:", &[Start]),
    line("  blue(s, 0)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("an arc with mark k leads from level k to k + 1;", &[]),
    line("from the last level it accepts, and leads to 0", &[]),
    line("", &[]),
    line("blue(s, k):", &[]),
    line("  (s, k) becomes blue", &[Visit]),
    line("  for each successor (t, m) of (s, k):", &[Expand, Arc]),
    line("    if (t, m) is not blue: blue(t, m)", &[]),
    line("  for each accepting arc to (t, 0):", &[]),
    line("    seed := (s, k);  red(t, 0)", &[Nested, NestedOver]),
    line("  return", &[Leave]),
    line("", &[]),
    line("red(s, k):", &[]),
    line("  if (s, k) = seed: report a cycle", &[NestedFound]),
    line("  if (s, k) is not red:", &[]),
    line("    (s, k) becomes red", &[NestedVisit]),
    line("    for each successor (t, m): red(t, m)", &[NestedExpand, NestedArc]),
    line("  return", &[NestedLeave]),
];

/// Schwoon and Esparza 2005, §3.1, on Holzmann, Peled and Yannakakis.
pub const STACK: &[Line] = &[
    line("for each initial state s that is not blue:", &[Start]),
    line("  blue(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("blue(s):", &[]),
    line("  s becomes blue, and is on the path", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is not blue: blue(t)", &[]),
    line("  if s accepts: red(s)", &[Nested, NestedOver]),
    line("  s is no longer on the path", &[Leave]),
    line("", &[]),
    line("red(s):", &[]),
    line("  s becomes red", &[NestedVisit]),
    line("  for each successor t of s:", &[NestedExpand, NestedArc]),
    line("    if t is on the path: report a cycle", &[NestedFound]),
    line("    if t is not red: red(t)", &[]),
    line("  return", &[NestedLeave]),
];

/// Schwoon and Esparza 2005, §3.1, on Gastin, Moro and Zeitoun.
pub const BLACK: &[Line] = &[
    line("for each initial state s that is white:", &[Start]),
    line("  blue(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("blue(s):", &[]),
    line("  s becomes cyan", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is cyan and accepts: report a cycle", &[Found]),
    line("    if t is white: blue(t)", &[]),
    line("  look at all successors once more", &[SecondLook]),
    line("  if all are black: s becomes black", &[LeaveBlack]),
    line("  else if s accepts:", &[]),
    line("    red(s);  s becomes black", &[Nested, NestedOver, LeaveSearched]),
    line("  else s becomes blue", &[LeaveBlue]),
    line("", &[]),
    line("red(s):", &[]),
    line("  for each successor t of s:", &[NestedExpand, NestedArc]),
    line("    if t is cyan: report a cycle", &[NestedFound]),
    line("    if t is blue: t becomes red;  red(t)", &[NestedVisit]),
    line("  return", &[NestedLeave]),
];

/// Schwoon and Esparza 2005, Fig. 3.
pub const COLOURS: &[Line] = &[
    line("for each initial state s that is white:", &[Start]),
    line("  blue(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("blue(s):", &[]),
    line("  s becomes cyan", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is cyan, and s or t accepts:", &[]),
    line("      report a cycle", &[Found]),
    line("    if t is white: blue(t)", &[]),
    line("  if s accepts:", &[]),
    line("    red(s);  s becomes red", &[Nested, NestedOver, LeaveSearched]),
    line("  else s becomes blue", &[LeaveBlue]),
    line("", &[]),
    line("red(s):", &[]),
    line("  for each successor t of s:", &[NestedExpand, NestedArc]),
    line("    if t is cyan: report a cycle", &[NestedFound]),
    line("    if t is blue: t becomes red;  red(t)", &[NestedVisit]),
    line("  return", &[NestedLeave]),
];

/// Gaiser and Schwoon 2009, Fig. 1.
pub const ALL_RED: &[Line] = &[
    line("for each initial state s that is white:", &[Start]),
    line("  blue(s)", &[]),
    line("report: no accepting run", &[Over]),
    line("", &[]),
    line("blue(s):", &[]),
    line("  all red := true;  s becomes cyan", &[Visit]),
    line("  for each successor t of s:", &[Expand, Arc]),
    line("    if t is cyan, and s or t accepts:", &[]),
    line("      report a cycle", &[Found]),
    line("    if t is white: blue(t)", &[]),
    line("    if t is not red: all red := false", &[]),
    line("  if all red: s becomes red", &[LeaveRed]),
    line("  else if s accepts:", &[]),
    line("    red(s);  s becomes red", &[Nested, NestedOver, LeaveSearched]),
    line("  else s becomes blue", &[LeaveBlue]),
    line("", &[]),
    line("red(s):", &[]),
    line("  for each successor t of s:", &[NestedExpand, NestedArc]),
    line("    if t is cyan: report a cycle", &[NestedFound]),
    line("    if t is blue: t becomes red;  red(t)", &[NestedVisit]),
    line("  return", &[NestedLeave]),
];
