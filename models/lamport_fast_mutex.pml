/*
 * Lamport's fast mutual exclusion algorithm (1987).
 *
 * Without competition a process enters after a fixed number of memory
 * accesses, however many processes there are: it signs x, sees that y is
 * free, signs y, and sees that x still carries its name. Only when somebody
 * interferes does it look at all the others.
 *
 * Modelled:   N processes that enter and leave for ever; every access to
 *             shared memory is a step of its own.
 * Abstracted: busy waiting is a blocking wait; memory is sequentially
 *             consistent.
 * Checked:    never two processes inside (assertion), and no deadlock.
 *             The label accept_turned_away marks the place where a process
 *             must start again. There are runs that pass it infinitely often
 *             (acceptance cycles): nothing bounds the number of attempts.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef N
#define N 3
#endif
#define FREE 0
#define me   (_pid + 1)         /* process names 1 .. N, since 0 means free */

bool busy[N];                   /* the process is in the entry protocol */
byte x, y;                      /* the two doors */
byte inside;                    /* how many are inside: for the check only */

active [N] proctype Process()
{
    byte k;

start:
    busy[_pid] = true;
    x = me;
    if
    :: y != FREE ->
       busy[_pid] = false;
       goto accept_turned_away
    :: else
    fi;
    y = me;
    if
    :: x != me ->               /* the slow path: somebody else is about */
       busy[_pid] = false;
       for (k : 0 .. N-1) {
           !busy[k]
       }
       if
       :: y != me -> goto accept_turned_away
       :: else
       fi
    :: else                     /* the fast path */
    fi;

    inside++;
    assert(inside == 1);
    inside--;

    y = FREE;
    busy[_pid] = false;
    goto start;

accept_turned_away:
    y == FREE;
    goto start
}
