byte x;
active proctype P() { goto done;
	x = 2;
done:	x = 1
}
