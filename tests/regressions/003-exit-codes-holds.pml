/* Holds: exit code 0. */
byte x;
active proctype P() { x = 1; assert(x == 1) }
