/* A sorted send puts the message before the first that is greater, field by field. */
chan c = [4] of { byte, byte };
byte x, y, last;
active proctype Producer() {
	c !! 2, 1;
	c !! 1, 9;
	c !! 2, 0
}
active proctype Consumer() {
	byte n;
	do
	:: n < 3 -> (len(c) + n == 3); c ? x, y; n++; assert(x >= last); last = x
	:: else -> break
	od
}
