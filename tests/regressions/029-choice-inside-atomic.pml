/* Choices inside atomic branch the search; each way is one indivisible sequence. */
byte x, y;
active proctype P() {
	atomic {
		if
		:: x = 1
		:: x = 2; y = 1
		:: x = 3
		fi;
		if
		:: x > 1 -> y++
		:: y = 5
		fi
	}
}
active proctype Q() { y = 9 }
