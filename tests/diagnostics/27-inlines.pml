/* Inlines are copied into the text: they cannot call themselves. */
byte x;

inline swap(a, b) { byte t; t = a; a = b; b = t }
inline ping(n) { n++; pong(n) }
inline pong(n) { ping(n) }
inline twice(n) { n = 2 * }

active proctype P() {
	byte y;
	swap(x, y);
	swap(x);
	ping(x);
	twice(x);
	twice(y);
	unknown(x)
}
