/* Q waits for `timeout`, which is true where nobody else can move: where P waits for w. There Q is enabled,
 * and the only one. While R goes round, timeout is never true, Q is never enabled, and to leave it out is
 * fair. */
bit w, x;

active proctype P() { do :: x = 1; w == 1 -> w = 0; x = 0 od }
active proctype Q() { do :: timeout -> w = 1 od }
#ifdef NOISE
active proctype R() { do :: skip od }
#endif
