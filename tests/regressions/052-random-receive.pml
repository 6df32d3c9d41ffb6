/* A random receive takes the first message that fits, from any place; with <…> it stays in the channel. */
chan c = [3] of { mtype, byte };
mtype = { red, green, blue };
byte x;
active proctype P() {
	c ! red, 1; c ! green, 2; c ! blue, 3;
	c ?? green, x;
	assert(x == 2 && len(c) == 2);
	c ?? <blue, x>;
	assert(x == 3 && len(c) == 2);
	if
	:: c ?? [red, 2] -> assert(false)
	:: c ?? [eval(red), 1] -> c ? red, x
	fi;
	do
	:: c ?? blue, x
	:: empty(c) -> break
	od
}
