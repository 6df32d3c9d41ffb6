/* Three processes flip their bits; each is always enabled, so a weakly fair cycle has every one of them in
 * it, and every bit is set again and again. An algorithm with one set needs a counter: whose turn is
 * awaited. A state that is met again with another count is another state. A check that compares states
 * only, `on the stack` or by colour, closes a cycle in which some have not moved. */
bit b[3];

active [3] proctype P() { do :: b[_pid] = 1 - b[_pid] od }
