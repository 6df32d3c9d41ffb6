/* A message of a single bit travels in a byte; of two, each is one bit. */
chan one = [1] of { bit };
chan two = [1] of { bit, bit };
byte x, y;
active proctype P() {
	one ! 3;
	one ? x;
	two ! 2, 3;
	if
	:: two ? 0, y -> skip
	:: two ? _, y -> skip
	fi
}
