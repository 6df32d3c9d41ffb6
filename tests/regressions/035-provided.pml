/* A process runs only while its provided clause holds, in every one of its steps, its death too. */
bool go = true;
byte x;
active proctype P() provided (go) { x = 1; x = 2; x = 3 }
active proctype Q() { go = false; x = 10; go = true }
active proctype R() provided (x < 3) { x++; x++ }
