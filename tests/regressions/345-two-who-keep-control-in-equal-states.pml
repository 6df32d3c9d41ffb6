/* Whoever receives has control: two intermediate states may be equal in every byte, and differ in who goes
 * on. */
chan c = [0] of { byte };
byte x, y;
active proctype S() { do :: atomic { x == 0 -> x = 1; c!1 } od }
active [2] proctype R() {
	atomic { skip; do :: c?_ :: x == 1 -> x = 2; y = _pid; break od; (false) }
}
