/* An atomic sequence that blocks in its middle loses control, and takes it up again later. */
byte x, y;
active proctype P() {
	atomic { x = 1; (y == 1); x = 2; x = 3 }
}
active proctype Q() {
	x == 1;
	y = 1;
	y = 2;
	y = 1
}
