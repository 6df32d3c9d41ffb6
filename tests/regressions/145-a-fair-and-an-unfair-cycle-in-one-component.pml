/* All states are one component: Q flips y while P goes round or not. There are fair cycles, in which both
 * take part, and unfair ones. Every fair cycle has y == 1 again and again and x == 1 again and again; an
 * unfair one keeps x or y as it is. Who judges the component (both take part somewhere in it) calls the
 * unfair cycle a counterexample. */
bit x, y;

active proctype P() { do :: x = 1 - x od }
active proctype Q() { do :: y = 1 - y od }
