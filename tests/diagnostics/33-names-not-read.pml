/* Declarations with errors: the names in them are not reported again where they are used. */
mtype = { start, stop, = };
byte buffer[4;
typedef Frame { byte kind byte length };
chan wire = [2] of byte;

proctype Sender(chan out, byte first) {
	Frame f;
	byte count = ;
	do
	:: count < first -> out ! start; buffer[count] = f.kind; count++
	:: else -> break
	od
}

init {
	run Sender(wire, 3);
	wire ! stop;
	run Sendr(wire, 3)
}
