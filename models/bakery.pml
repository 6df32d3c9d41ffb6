/*
 * Lamport's bakery algorithm: mutual exclusion for N processes (1974).
 *
 * Like customers of a bakery, every process draws a number larger than all
 * the numbers it sees, then waits for everybody with a smaller number. Two
 * processes may draw the same number; the smaller process id then wins.
 *
 * Modelled:   each number is read in a step of its own, so that two processes
 *             can draw at the same time.
 * Abstracted: numbers would grow without bound if the processes competed for
 *             ever, so every process enters ROUNDS times and stops.
 * Checked:    never two processes inside (assertion), no deadlock, and every
 *             process ends (formula all_served).
 */

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

bool choosing[N];       /* the process is drawing a number */
byte number[N];         /* number drawn, 0 = not interested */
byte inside;            /* how many are inside: for the check only */
byte finished;          /* how many have done all their rounds */

/* does (number[a], a) come before (number[b], b) ? */
#define before(a, b) (number[a] < number[b] || (number[a] == number[b] && a < b))

active [N] proctype Customer()
{
    byte round, k, highest;

    for (round : 1 .. ROUNDS) {
        choosing[_pid] = true;
        highest = 0;
        for (k : 0 .. N-1) {
            if
            :: number[k] > highest -> highest = number[k]
            :: else
            fi
        }
        number[_pid] = highest + 1;
        choosing[_pid] = false;

        for (k : 0 .. N-1) {
            !choosing[k];
            (number[k] == 0 || !before(k, _pid))
        }
        inside++;
        assert(inside == 1);
        inside--;
        number[_pid] = 0
    }
    finished++
}

ltl all_served { <> (finished == N) }
