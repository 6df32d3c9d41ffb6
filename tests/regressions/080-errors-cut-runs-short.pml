/* A run that ends in a run-time error is no run to judge liveness on: that no other run violates the formula is no proof
   that it holds. */
byte zero, done;

active proctype P()
{
	done = 1 / zero;
	done = 1
}

ltl finishes { <> (done == 1) }
ltl starts { (done == 1) }
