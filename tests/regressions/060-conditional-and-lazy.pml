/* && and || and conditional expressions look only at what they need: no error in what they do not. */
byte a[2], i = 5, x;
active proctype P() {
	(i < 2 && a[i] == 1) || i == 5;
	x = (i < 2 -> a[i] : 7);
	assert(i >= 2 || 6 / (i - i) == 0);
	x = x / (x - 6)
}
