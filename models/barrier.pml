/*
 * A reusable barrier made of semaphores.
 *
 * THREADS threads work in phases; nobody starts the next phase before all have
 * finished the present one. The barrier has two gates in a row. The last
 * thread to arrive opens the first gate for all; the last one to pass it opens
 * the second one for all. With a single gate a fast thread could come around
 * and steal the pass of a slow one.
 *
 * Modelled:   semaphores: down waits for a positive value and decreases it, in
 *             one atomic step; up increases it.
 * Abstracted: the work; phases are counted modulo 3.
 * Checked:    threads that work at the same time are in the same phase
 *             (assertion); no deadlock. The formula phases_advance holds, even
 *             without fairness: the others cannot go on for ever without the
 *             first thread.
 *
 * With -DSINGLE_GATE the second gate is missing; then the threads get out of
 * step, and the assertion fails or the threads get stuck.
 */

#ifndef THREADS
#define THREADS 4
#endif
#define IDLE 3                  /* is not a phase */

byte mutex = 1;                 /* semaphores */
byte gate1, gate2;
byte count;                     /* threads at the barrier */
byte working[THREADS] = IDLE;   /* phase in which each thread works */

inline down(s)
{
    atomic { s > 0 -> s-- }
}

inline up(s)
{
    s++
}

inline open(gate)
{
    d_step {
        for (i : 1 .. THREADS) {
            gate++
        }
        i = 0
    }
}

active [THREADS] proctype Thread()
{
    byte phase, i;

    do
    :: working[_pid] = phase;
       d_step {
           for (i : 0 .. THREADS-1) {
               assert(working[i] == IDLE || working[i] == phase)
           }
           i = 0
       };
       working[_pid] = IDLE;

       down(mutex);
       count++;
       if
       :: count == THREADS -> open(gate1)
       :: else
       fi;
       up(mutex);
       down(gate1);

       down(mutex);
       count--;
#ifdef SINGLE_GATE
       up(mutex);
#else
       if
       :: count == 0 -> open(gate2)
       :: else
       fi;
       up(mutex);
       down(gate2);
#endif
       phase = (phase + 1) % 3
    od
}

ltl phases_advance { [] <> (working[0] == 0) && [] <> (working[0] == 1) }
