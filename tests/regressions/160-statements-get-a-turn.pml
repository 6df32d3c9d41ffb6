/* A choice inside a loop: the process takes part whatever it chooses, so no fairness of processes makes it
 * leave. Of its statements, the one that leaves is enabled whenever the loop is at its beginning, and not
 * inside the first option: strong fairness makes it happen, weak fairness only where both options lead back
 * at once. */
bit x, y;

active proctype P()
{
	do
	:: x = 1 - x
#ifdef TWO_STEPS
	   ; skip
#endif
	:: y = 1; break
	od
}
