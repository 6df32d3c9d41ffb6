/* The same without the formula. */
byte x;
active [2] proctype P() { x++; x--; x++ }
