/* A deadlock before the goal violates liveness, not only safety. */
chan c = [0] of { bit };
bool done;

active proctype Waiter()
{
	c?1;
	done = true
}

ltl finishes { <> done }
