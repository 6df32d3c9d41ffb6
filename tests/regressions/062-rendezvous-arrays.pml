/* Arrays of channels, rendezvous by eval and by constants. */
chan c[2] = [0] of { byte, byte };
byte x = 1, y;
active proctype S() {
	if
	:: c[0] ! 1, 5
	:: c[1] ! 2, 6
	:: c[0] ! 3, 7
	fi
}
active proctype R() {
	if
	:: c[0] ? eval(x), y
	:: c[1] ? 2, y
	:: c[0] ? 4, y -> assert(false)
	fi
}
