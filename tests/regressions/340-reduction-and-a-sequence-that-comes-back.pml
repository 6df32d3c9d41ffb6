// A d_step begins with a receive and comes to it again by `goto`. That there is a message says that the first
// receive is possible, not that the second one is: that depends on whether `R` has sent. Reduction took the
// first answer for both, followed `R` first, and did not see that the sequence may block.
chan c = [2] of { byte };
byte k;

active proctype P() {
	byte n, x;
	c!1;
	d_step {
L:		c?x;
		n++;
		if
		:: n < 2 -> goto L
		:: else
		fi
	}
}

active proctype R() {
	byte a;
	a = 1;
	k = 1;
	c!2;
	a = 3
}

active proctype S() {
	byte a;
	a = 1;
	k = 2;
	a = 3
}
