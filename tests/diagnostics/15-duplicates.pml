/* Everything may be declared only once. */
mtype = { idle, busy, idle };
typedef Job { byte size; byte size }
typedef Job { byte length }
byte x;
bool x;
byte busy;

proctype P(byte a) {
	byte a;
	byte x;
	byte P;
	a = 1
}

proctype P() { skip }

init { skip }
init { run P(1) }
