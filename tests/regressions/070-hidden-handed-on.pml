/* A hidden variable keeps its value from step to step, although states are compared without it. */
hidden byte h = 5;
byte x;
active proctype P() {
	h = 7;
	x = h;
	assert(x == 7);
	h = 8;
	assert(h == 7)
}
