/* An escape guards the steps inside atomic, too; d_step is left only before it starts. */
byte x, y;
active proctype P() {
	{
		atomic { x = 1; x = 2; x = 3 };
		d_step { x = 4; x = 5 };
		x = 6
	} unless { y == 1 -> x = x + 10 }
}
active proctype Q() { y = 1; y = 0 }
