/* A label on a d_step that has an escape. */
byte x, y;
active proctype P() {
again:
	d_step { x < 3; x++ } unless { y == 1 };
	if
	:: x < 3 -> goto again
	:: else
	fi
}
active proctype Q() { x >= 2; y = 1 }
