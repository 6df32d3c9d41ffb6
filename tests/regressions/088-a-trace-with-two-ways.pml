/* An event that fits two transitions is an error, as in Spin: a trace is deterministic. */
chan c = [2] of { byte };

active proctype P()
{
	c!1;
	c!2
}

trace {
	if
	:: c!1; c!2
	:: c!_; c!3
	fi
}
