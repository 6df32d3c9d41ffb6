/*
 * The dining philosophers without deadlock.
 *
 * The forks are numbered, and every philosopher takes the fork with the
 * smaller number first. So the philosophers cannot wait for each other in a
 * circle (compare philosophers_deadlock.pml).
 *
 * Modelled:   a fork is a channel with one slot; who fills the slot has the
 *             fork. The forks may be put back in either order.
 * Abstracted: thinking takes no time.
 * Checked:    two neighbours never eat at the same time (assertion), and the
 *             system never gets stuck. The label progress_eating says that
 *             eating is progress: no infinite run is without it.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef N
#define N 7
#endif

chan fork[N] = [1] of { bit };
bool eating[N];

active [N] proctype Philosopher()
{
    byte first, second;
    byte left = (_pid + N - 1) % N;     /* the neighbours */
    byte right = (_pid + 1) % N;

    first  = (_pid < right -> _pid : right);
    second = (_pid < right -> right : _pid);

    do
    :: fork[first]!1;
       fork[second]!1;
       eating[_pid] = true;
progress_eating:
       assert(!eating[left] && !eating[right]);
       eating[_pid] = false;
       if
       :: fork[first]?_;  fork[second]?_
       :: fork[second]?_; fork[first]?_
       fi
    od
}
