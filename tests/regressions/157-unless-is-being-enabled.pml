/* The escape is enabled where stop == 1 and replaces the body there. Q is then enabled by the escape alone:
 * weak fairness makes it leave. Body and escape are different statements. Where stop comes and goes, Q has
 * its turns in the body, and weak fairness of processes and of statements never make it leave; strong
 * fairness of processes neither, that of statements does. */
bit stop, left, x;

active proctype P()
{
#ifdef COMES_AND_GOES
	do :: stop = 1 - stop od
#else
	stop = 1;
	do :: skip od
#endif
}
active proctype Q()
{
	{ do :: x = 1 - x od } unless { stop == 1 -> left = 1 }
}
