/*
 * The dining philosophers (Dijkstra, 1965), with the mistake that makes them
 * starve.
 *
 * N philosophers sit around a table, with one fork between each two. To eat,
 * a philosopher takes the left fork, then the right one.
 *
 * Modelled:   a fork is a channel with one slot. Filling the slot takes the
 *             fork, emptying it puts the fork back: that is a test and set in
 *             one step, without the need for atomic.
 * Abstracted: thinking and eating take no time.
 * Checked:    that the system cannot get stuck. It can: when all hold their
 *             left fork, nobody gets a right one. The error is an invalid end
 *             state.
 *
 * See philosophers_ordered.pml for a remedy.
 */

#ifndef N
#define N 7
#endif

chan fork[N] = [1] of { bit };

active [N] proctype Philosopher()
{
    byte right = (_pid + 1) % N;

    do
    :: fork[_pid]!1;                    /* take the left fork */
       fork[right]!1;                   /* take the right fork */
       fork[right]?_;                   /* put both back */
       fork[_pid]?_
    od
}
