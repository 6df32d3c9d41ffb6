active proctype P() {
	y = 1;
	do
	:: x > 0 -> break
}
