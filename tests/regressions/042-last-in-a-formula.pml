/* A formula that mentions _last makes the last process part of the state, even when the formula is not checked. */
byte x;
active [2] proctype P() { x++; x--; x++ }
ltl turns { [] <> (_last == 0) }
