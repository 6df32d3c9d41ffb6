/* A run is found with the last states that a limit allows: to judge it, successors are needed that are not
 * stored yet. It is shown all the same. */
byte a, b;
active proctype A() { do :: a < 5 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b = (b + 1) % 7 od }
ltl p { [] <> (a == 5) }
