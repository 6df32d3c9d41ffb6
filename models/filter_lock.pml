/*
 * Peterson's filter lock: mutual exclusion for N processes.
 *
 * A process climbs N-1 levels. On each level it declares itself the victim
 * and waits until either another process became the victim of that level, or
 * nobody else stands on that level or above. Every level holds back at least
 * one process, so at most one gets through the last.
 *
 * Modelled:   N processes that enter and leave for ever; the others are
 *             examined one after the other, not all at once.
 * Abstracted: testing one other process (its level and the victim) is a
 *             single step.
 * Checked:    never two processes inside (assertion), and no deadlock.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef N
#define N 4
#endif

byte level[N];          /* level reached by each process, 0 = outside */
byte victim[N];         /* victim of each level (entry 0 is not used) */
byte inside;            /* how many are inside: for the check only */

active [N] proctype Process()
{
    byte lev, other;

    do
    :: for (lev : 1 .. N-1) {
           level[_pid] = lev;
           victim[lev] = _pid;
           for (other : 0 .. N-1) {
               (other == _pid || level[other] < lev || victim[lev] != _pid)
           }
       }
       inside++;
       assert(inside == 1);
       inside--;
       level[_pid] = 0
    od
}
