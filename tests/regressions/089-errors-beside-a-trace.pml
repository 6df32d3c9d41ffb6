/* Failed assertions and deadlocks are not the trace's matter. A run-time error that cuts runs short leaves the answer open,
   but the search goes on: elsewhere a run may break the trace. */
chan c = [1] of { byte };
byte zero;

active proctype P()
{
	d_step { assert(false); c!1 };
	if
	:: c?_; c!2 / zero
#ifdef BROKEN
	:: d_step { assert(false); c?_; c!3 }
#endif
	fi;
	false
}

trace {
	c!1; c!2
}
