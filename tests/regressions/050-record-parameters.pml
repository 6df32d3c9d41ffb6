/* Records as parameters, and with arrays in messages: they travel field by field, element by element. */
typedef Inner { byte v[2] };
typedef Outer { byte id; Inner in; bit flag };
typedef Plain { byte id; short level };
chan c = [1] of { Outer, byte };
byte result;
proctype Copy(Plain p; byte k) {
	Outer o;
	o.id = p.id;
	o.in.v[1] = p.level + k;
	o.flag = 3;
	c ! o, k
}
init {
	Plain a;
	Outer b;
	byte n;
	a.id = 7; a.level = -2;
	run Copy(a, 5);
	c ? b, n;
	result = b.in.v[1] + b.in.v[0] + b.id + n + b.flag;
	assert(result == 16)
}
