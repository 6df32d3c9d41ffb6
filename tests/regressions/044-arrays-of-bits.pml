/* The elements of an array of bits are bytes: 2 stays 2. A lone bit is cut. */
bit b[2];
bit lone;
active proctype P() {
	b[0] = 2;
	lone = 2;
	b[1] = b[0] + 1;
	assert(b[0] == 2 && b[1] == 3 && lone == 0)
}
