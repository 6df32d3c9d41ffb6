byte x = 7;
active proctype P() {
	x == 8
}
active proctype Q() {
	printf("hello %d\n", x);
	assert(false)
}
