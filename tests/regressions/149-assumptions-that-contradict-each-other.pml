/* No run keeps both assumptions: everything holds, also a formula and its contrary, and that has to be
 * said. */
bit x;

active proctype P() { do :: x = 1 - x :: skip od }
