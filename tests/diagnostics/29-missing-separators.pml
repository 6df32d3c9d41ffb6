/* Statements are separated; the separator may be a line break. */
byte x, y;

active proctype P() {
	x = 1 y = 2;
	x = y
		+ 1;
	(x == 1) (y == 1);
	atomic { x = 1 } y = 2;
	x = (y + 1;
	y = 2
}
