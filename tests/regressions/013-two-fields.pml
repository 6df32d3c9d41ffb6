/* A message of two fields comes out as it went in, and overwrites what was there. */
chan c = [1] of { byte, byte };
byte x, y = 7;
active proctype P() {
	c ! 1, 2;
	c ? x, y;
	assert(y == 2)
}
