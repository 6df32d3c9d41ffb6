/* The last name of an mtype declaration counts 1, the one before it 2; a second declaration goes on. */
mtype = { a, b, c };
mtype = { d, e };
mtype:other = { f, g };
byte x;
active proctype P() {
	assert(c == 1 && b == 2 && a == 3 && e == 4 && d == 5);
	assert(g == 1 && f == 2);
	x = a;
	do
	:: x < d -> x++
	:: else -> break
	od
}
