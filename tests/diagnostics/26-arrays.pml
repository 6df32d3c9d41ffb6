/* Lengths are constants, and at least 1. */
byte n = 3;
byte m;
byte none[0];
byte negative[-1];
byte computed[n + 1];
byte fine[n];
unsigned wide : 40;
unsigned unknown;
byte narrow : 3;
int list[2] = { 1, 2, 3 };
int scalar = { 1, 2 };
chan c = [m] of { byte };
chan d = [1] of { byte, Packet };

active proctype P() {
	byte own[m + 1];
	fine[5] = 1;
	c ! fine[n]
}
