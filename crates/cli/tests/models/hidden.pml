/* The assertion fails in one of two runs, but they differ only in what is hidden. */
hidden byte h;
byte x;
active proctype P() {
	if
	:: h = 1
	:: h = 2
	fi;
	x = 1;
	assert(h == 1)
}
