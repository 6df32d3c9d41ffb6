/* A second skip at the start of an option is dropped, but not in a plain sequence. */
byte x;
active proctype P() {
	do
	:: x < 3 -> skip; skip; skip; x++
	:: x == 3 -> skip; skip; break
	od;
	skip; skip; skip;
	x = 0
}
active proctype Q() { if :: skip; skip :: skip; x = x fi }
