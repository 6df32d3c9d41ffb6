/* for over the messages of a channel takes each out and puts it back. */
typedef Item { byte key; byte value };
chan c = [3] of { Item };
byte total;
active proctype P() {
	Item x;
	x.key = 1; x.value = 10; c ! x;
	x.key = 2; x.value = 20; c ! x;
	for (x in c) {
		total = total + x.value
	};
	assert(total == 30 && len(c) == 2)
}
