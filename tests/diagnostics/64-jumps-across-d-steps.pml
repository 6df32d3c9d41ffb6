/* A jump and its target stand in the same d_step, or outside of all. */
byte x;

active proctype P() {
	do
	:: d_step { x = 1; x = 2; break }
	:: d_step { x = 3; do :: x < 5 -> x++ :: else -> break od }
	:: x == 7 -> goto inside
	od;
	d_step {
		x = 1;
inside:		x = 2;
		d_step { x = 3; inner: x = 4 };
		goto inner
	}
}
