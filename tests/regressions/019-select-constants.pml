/* select between constants is an if, not a loop. */
byte x, y;
active proctype P() {
	select (x : 3 .. 7);
	select (y : 0 .. 1)
}
active proctype Q() { x > 4 }
