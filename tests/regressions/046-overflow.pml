/* Values are cut to their type when they are stored, not before. */
byte b = 255;
short s = 32767;
unsigned u : 3 = 7;
int i = 2147483647;
bool f = true;
active proctype P() {
	b++; s++; u++; i++;
	f = f + f;
	b = 300 - 1;
	assert(b == 43 && s == -32768 && u == 0 && i < 0);
	b = b * 1000 / 1000
}
