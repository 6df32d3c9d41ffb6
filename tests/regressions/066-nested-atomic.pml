/* atomic in atomic, a d_step in atomic, and what follows them. */
byte x, y;
active [2] proctype P() {
	atomic {
		x++;
		atomic { y++; y++ };
		d_step { x = x * 2; y-- };
		x--
	};
	x = 0
}
