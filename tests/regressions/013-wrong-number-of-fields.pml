/* A message with too few fields is filled with zeros; so Spin, in the checker: here it is what Spin counts. */
chan c = [1] of { byte, byte };
byte x, y = 7;
active proctype P() {
	c ! 1, 2;
	c ? x, y;
	assert(y == 2)
}
