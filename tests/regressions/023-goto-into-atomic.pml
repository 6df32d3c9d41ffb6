/* A goto into an atomic sequence: what follows is indivisible from there. */
byte x, y;
active [2] proctype P() {
	y++;
	goto inside;
	atomic {
		x = 1;
inside:		x++;
		x = x * 2;
		y--
	}
}
