/* The first field of a message says where the second one goes: what a step writes depends on what it has just
 * written. */
byte a[40], i, x;
chan q = [1] of { byte, byte };
active proctype S() { do :: q!0,x :: q!1,x :: x = (x + 1) % 2 od }
active proctype R() { byte k; do :: q?k,a[k * 10]; k = 0 od }
active proctype T() { do :: a[10] = 1 - a[10] % 2 :: a[0] = 0 od }
