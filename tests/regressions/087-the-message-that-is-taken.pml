/* A random receive takes the second message, and this is the event. Spin looks at the oldest one, whichever is taken. */
chan c = [2] of { byte };

active proctype P()
{
	c!3;
	c!7;
	c??7;
	c?<3>;
	c?3
}

trace {
	c?7; c?3
}
