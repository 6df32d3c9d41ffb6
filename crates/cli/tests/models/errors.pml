byte a[3];
active proctype P() {
	byte i;
	if
	:: i = 3; a[i] = 1
	:: i = 10 / i
	:: skip
	fi;
	assert(i == 1)
}
