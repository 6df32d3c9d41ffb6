/* `=` where `==` was meant. */
byte turn, count;

active [2] proctype P() {
	do
	:: (turn = _pid) -> count++
	:: count == 2 && turn = 0 -> break
	:: assert(count = 2)
	od
}
