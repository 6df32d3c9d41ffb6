/* Two processes contend for a semaphore. P1 is enabled whenever it is free, and not while P0 has it: a run
 * in which P0 always gets it is weakly fair and not strongly fair. */
byte free = 1;

active [2] proctype P()
{
	do
	:: atomic { free > 0 -> free-- };
critical:	free++
	od
}
