/* Every worker ends, and the next one takes its number, 1. A worker that has ended was not treated
 * unfairly, and one that was just created is somebody else. Without fairness, the second worker may wait
 * for ever while Other goes round. */
byte done;
bit o;

active proctype Boss()
{
	do
	:: _nr_pr == 2 -> run Worker()
	od
}
active proctype Other() { do :: o = 1 - o od }
proctype Worker() { done = 1 - done }
