/* for over a range, over an array, and nested. */
byte a[3] = 2;
byte sum, i, j;
active proctype P() {
	for (i : 0 .. 2) { a[i] = i };
	for (i in a) { sum = sum + a[i] };
	for (i : 1 .. 2) {
		for (j : 1 .. i) { sum++ }
	};
	for (i : 3 .. 1) { sum = 100 }
}
active proctype Q() { sum == 3 }
