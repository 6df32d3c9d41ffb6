/*
 * Priority inversion in a scheduler with fixed priorities.
 *
 * Three tasks share a processor; a task runs only while no task of higher
 * priority is ready. The low and the high task share a lock. If the low task
 * holds the lock when the high one wakes up and waits for the lock, the low
 * task can no longer run to release it.
 *
 * Modelled:   the scheduler is in the provided clauses: a process takes steps
 *             only while its clause is true. The high task waits actively, that
 *             is, it stays ready while it waits.
 * Abstracted: time; a task may wake up at any moment.
 * Checked:    that the system cannot get stuck. It can: the error is an
 *             invalid end state.
 *
 * With -DINHERIT the low task inherits the highest priority while it holds the
 * lock, and the error is gone.
 */

#ifndef BURST
#define BURST 3                 /* the medium task works for 1 .. BURST steps */
#endif

bool ready_high, ready_medium;
bool locked;
bool low_has_lock;
byte inside;                    /* tasks that use the lock: for the check only */

#ifdef INHERIT
#define boosted low_has_lock
#else
#define boosted false
#endif

inline use_lock()
{
    inside++;
    assert(inside == 1);
    inside--
}

active proctype High() provided (!boosted)
{
    do
    :: ready_high = true;                       /* wakes up */
       atomic { !locked -> locked = true };
       use_lock();
       locked = false;
       ready_high = false                       /* sleeps again */
    od
}

active proctype Medium() provided (!ready_high && !boosted)
{
    byte work;

    do
    :: ready_medium = true;
       select (work : 1 .. BURST);
       do
       :: work > 0 -> work--
       :: else -> break
       od;
       ready_medium = false
    od
}

active proctype Low() provided (boosted || (!ready_high && !ready_medium))
{
    do
    :: atomic { !locked -> locked = true; low_has_lock = true };
       use_lock();
       atomic { locked = false; low_has_lock = false }
    od
}
