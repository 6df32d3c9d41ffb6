/* A loop inside atomic that can be left: every way out is one indivisible sequence, and going round changes nothing. */
byte x, y;
active proctype P() {
	atomic {
		do
		:: x = (x + 1) % 3
		:: y = x; break
		od
	}
}
active proctype Q() { x = 5 }
