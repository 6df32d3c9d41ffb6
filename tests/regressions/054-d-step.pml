/* A d_step is one step, choices inside of it are resolved to the first that can be taken, and it blocks only at its start. */
byte x, y;
active [2] proctype P() {
	d_step {
		x < 4;
		x++;
		do
		:: y < 3 -> y++
		:: y < 5 -> y = y + 2
		:: else -> break
		od;
		x++
	};
	y = 0
}
