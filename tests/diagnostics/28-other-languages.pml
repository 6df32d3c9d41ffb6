/* Habits from other languages. */
byte x, y;

active proctype P(byte a, byte b) {
	while (x < 3) { x = x + 1 };
	x += 1;
	if (x == 3) { y = 1 } else if (x == 4) { y = z } else { y = 2 };
	x == 1 and y == 2;
	not x;
	x = 0x1f;
	y = x ? 1 : 2;
	x := 3;
	return y
}
