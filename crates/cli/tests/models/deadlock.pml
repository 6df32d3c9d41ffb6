byte x;
active proctype P() {
	do
	:: x < 5 -> x++
	:: x == 0 -> break
	od;
	x == 9
}
