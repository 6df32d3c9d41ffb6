/* Formulas that fail, one in a run that goes on for ever: with d_step, and jumps out of atomic. */
byte level

active proctype Tank() {
again:
    if
    :: atomic { level < 3 -> level++; goto again }
    :: d_step { level == 3 -> level = 0 }
    fi
    goto again
}

active proctype Idle() { byte n; do :: n < 2 -> n++ :: else -> break od }

ltl full_for_ever { <> [] (level == 3) }
ltl low { [] (level < 3) }
