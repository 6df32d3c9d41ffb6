hidden byte h;
byte x;
chan c = [0] of { byte };
active proctype P() {
	atomic { h = 3; x = h; c!x; x = 4 }
	assert(x == 0)
}
active proctype Q() {
	byte y;
	c?y;
	x = y + h
}
