/* The two events of a handshake, the send first. A send that nobody receives is none: Q never takes the 2 (Spin calls it an
   event all the same, and the trace broken). */
chan c = [0] of { byte };

active proctype P()
{
	c!1;
	if
	:: c!2
	:: c!3
	fi
}

active proctype Q()
{
	byte x;
	c?x;
	c?3
}

trace {
	c!1; c?1; c!3; c?_
}
