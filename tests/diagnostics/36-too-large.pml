/* What no state can hold is refused before it is tried. */
byte huge[100000];
typedef Page { byte bytes[60000] };
typedef Book { Page pages[60000] };
Page pages[300];
chan c = [60000] of { Page };

active proctype P() {
	int table[65535];
	Page first, second;
	table[0] = pages[0].bytes[2]
}
