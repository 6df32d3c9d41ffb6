/* A string ends on its line. */
byte x;

active proctype P() {
	printf("x is %d\n, x);
	x = y
}
