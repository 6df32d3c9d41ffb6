/* An inline with variables of its own, called twice: each call has its own. */
byte x = 1, y = 2;
inline swap(a, b) {
	byte t;
	t = a; a = b; b = t
}
active proctype P() {
	swap(x, y);
	swap(y, x);
	assert(x == 1 && y == 2)
}
active proctype Q() { x == 2 }
