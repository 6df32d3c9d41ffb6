/* The formula is violated as soon as x == 1. What comes behind is an error at run time, or an endless
 * sequence, so that no infinite run goes on from there: the finite one is a violation all the same, fair or
 * not. */
byte x, a[2];

active proctype P() { x = 1; a[x + 1] = 1 }
