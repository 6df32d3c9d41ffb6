/* The workers of a search with several threads: how they share work, and know that all of it is done
 * (crates/search/src/parallel/gang.rs).
 *
 * Modelled: every worker has work of its own. Who has none goes to the pool, which is behind a lock (here: an
 * atomic step), takes a bundle if there is one, ends if all others wait too, or goes to sleep. Who sees that
 * somebody is hungry, without the lock and perhaps too late, puts half of its work into the pool and wakes
 * somebody. The first worker does not sleep for ever (`next` with a patience): it looks around now and then,
 * and does not count as one who waits meanwhile. Nor does the last one (`ask`): it goes on counting as one
 * who waits while it looks at what others do, without the lock. If one of them has a lot to do, it stops
 * waiting (`stop_waiting`), and takes a piece of that, if it is still there.
 *
 * Abstracted: a piece of work is a unit, and brings two more as long as there are not MOST in all; the first
 * worker looks around LOOKS times, the last one ASKS times. Being told to stop, and failing, are left out.
 *
 * Checked: nobody ends while there is work (an assertion), nobody sleeps for ever (no invalid end state), and
 * all of them end (a formula). With -DEARLY a worker ends without a look into the pool, with -DFORGETFUL
 * one that ends does not wake the others, with -DLATE the number of those who wait is not taken back by one
 * who looks around, with -DSTUBBORN not by one who stops waiting.
 */
#define WORKERS 3
#define LAST 2
#define MOST 7
#define LOOKS 1
#define ASKS 1

byte made = 1, finished = 0;    /* pieces of work */
byte own[WORKERS];              /* those that a worker has */
chan pool = [MOST] of { byte }; /* bundles of those that nobody has */
byte waiting = 0, hungry = 0;
byte looks = LOOKS, asks = ASKS;
bool over = false;
bool asleep[WORKERS];
byte ended = 0;

inline tell_hunger() {
    if
    :: waiting > len(pool) -> hungry = waiting - len(pool)
    :: else -> hungry = 0
    fi
}

inline wake_one() {
    if
    :: asleep[0] -> asleep[0] = false
    :: asleep[1] -> asleep[1] = false
    :: asleep[2] -> asleep[2] = false
    :: else
    fi
}

inline wake_all() {
    asleep[0] = false; asleep[1] = false; asleep[2] = false
}

active [WORKERS] proctype Worker() {
    byte half;

    if
    :: _pid == 0 -> own[0] = 1
    :: else
    fi;
work:    do
    :: own[_pid] > 0 ->
        atomic {
            finished++;
            if
            :: made + 2 <= MOST -> made = made + 2; own[_pid] = own[_pid] + 1
            :: else -> own[_pid] = own[_pid] - 1
            fi
        };
        if
        :: hungry > 0 && own[_pid] >= 2 ->
            atomic {
                half = own[_pid] / 2;
                own[_pid] = own[_pid] - half;
                pool!half;
                half = 0;
                tell_hunger()
            };
            atomic { wake_one() }
        :: else
        fi
    :: own[_pid] == 0 -> break
    od;

    atomic { waiting++; goto check };
sleep:    if
    :: atomic { !asleep[_pid] -> goto check }
    :: atomic {
        _pid == 0 && looks > 0 && asleep[0] && !over && empty(pool) ->
        looks--;
        asleep[0] = false;
#ifndef LATE
        waiting--;
#endif
        tell_hunger()
       };
       atomic { waiting++; goto check }
    :: atomic {
        _pid == LAST && asks > 0 && asleep[LAST] && !over && empty(pool) ->
        asks--;
        asleep[LAST] = false
       };
       if
       :: own[0] > 2 || own[1] > 2 ->
        atomic {
#ifndef STUBBORN
            waiting--;
#endif
            tell_hunger()
        };
        atomic {
            if
            :: own[0] > 2 -> own[0] = own[0] - 1; own[LAST] = 1
            :: own[0] <= 2 && own[1] > 2 -> own[1] = own[1] - 1; own[LAST] = 1
            :: else
            fi;
            goto work
        }
       :: else -> goto check
       fi
    fi;
check:    atomic {
        if
        :: over -> goto end
        :: !over && nempty(pool) ->
            pool?own[_pid];
            waiting--;
            tell_hunger();
            goto work
#ifdef EARLY
        :: !over && waiting == WORKERS ->
#else
        :: !over && empty(pool) && waiting == WORKERS ->
#endif
            over = true;
#ifndef FORGETFUL
            wake_all();
#endif
            goto end
        :: else ->
            tell_hunger();
            asleep[_pid] = true;
            goto sleep
        fi
    };
end:    atomic {
        assert(finished == made);
        ended++
    }
}

ltl all_end { <> (ended == WORKERS) }
