/* A late declaration sets the first element again, and a loop over an array of channels takes the first: arrays without an index that nobody wrote. */
typedef Message { byte value };
chan c[2] = [2] of { Message };
byte n;

active proctype P() {
	Message m;
	m.value = 3;
	c[0]!m;
	byte late[2] = 1;
	for (m in c) { n = n + m.value };
	assert(n == 3 && late[0] == 1)
}
