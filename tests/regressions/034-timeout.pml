/* timeout holds when nothing else can happen in the whole system. */
chan data = [1] of { byte };
chan ack = [1] of { byte };
byte tries, x;
active proctype Sender() {
	do
	:: data ! tries ->
		if
		:: ack ? x -> break
		:: timeout -> tries++; if :: tries == 3 -> break :: else fi
		fi
	od
}
active proctype Receiver() {
	byte m;
end:	do
	:: data ? m -> ack ! m
	:: data ? m
	od
}
