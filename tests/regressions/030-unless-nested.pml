/* unless inside unless: the outer escape comes before the inner one. */
byte x, y;
active proctype P() {
	{
		{
			do
			:: x < 4 -> x++
			:: x > 1 -> x--
			od
		} unless {
			x == 3 -> y = 1
		};
		y = y + 10
	} unless {
		y == 11 || x == 4 -> y = 20
	};
	assert(y > 0)
}
active proctype Q() { x = 4 }
