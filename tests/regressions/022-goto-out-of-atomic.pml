/* A goto out of an atomic sequence gives control away at the jump. */
byte x, y;
active [2] proctype P() {
	atomic {
		x++;
		if
		:: x == 1 -> goto out
		:: else
		fi;
		x = x + 10
	};
	y++;
out:	y = y + 2;
	x--
}
