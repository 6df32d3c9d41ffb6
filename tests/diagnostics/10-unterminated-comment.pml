/* A comment that is not closed swallows the rest of the file. */
byte x;

active proctype P() {
	x = 1; /* the first step
	x = 2;
	assert(x == 2)
}
