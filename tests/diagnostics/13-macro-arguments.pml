/* Macros with the wrong number of arguments. */
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define BUMP(v) v = v + 1
#define BAD(a, a) a
byte x, y;

active proctype P() {
	x = MAX(x);
	y = MAX(x, y, 3);
	BUMP(x;
	y = 1
}
