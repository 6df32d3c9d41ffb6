/*
 * Cache coherence: an MSI protocol with a directory.
 *
 * A memory cell may be in several caches. A cache line is invalid (I), shared
 * (S: others may have a copy, nobody may write) or modified (M: the only copy,
 * may be written). The directory knows who has copies. It serves one request
 * at a time: before it grants M it makes the others drop their copies, and
 * before it grants anything it fetches the value from the cache that has M.
 *
 * Modelled:   CACHES caches and one cell; messages in queues, so that
 *             requests, invalidations and evictions cross each other. A cache
 *             drops a shared copy without a word, but writes back a modified
 *             one.
 * Abstracted: the cell holds 0 or 1, and writing flips it.
 * Checked:    a cache with M is alone, and every copy that is read has the
 *             value written last (assertions); no deadlock.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef CACHES
#define CACHES 3
#endif
#define NOBODY 255

mtype = { I, S, M };                            /* states of a line */
mtype = { get_s, get_m, put_m };                /* cache to directory */
mtype = { data, invalidate, fetch, put_done };  /* directory to cache */
mtype = { dropped, value_is };                  /* answers of a cache */

chan request         = [CACHES] of { mtype, byte, bit };
chan answer          = [CACHES] of { mtype, bit };
chan command[CACHES] = [2] of { mtype, bit };

mtype line[CACHES] = I;
bit latest;                     /* the value written last: for the check only */

/* answer a command that may come at any time */
inline obey_invalidate()
{
    line[_pid] = I;
    answer!dropped(0)
}

inline obey_fetch()
{
    line[_pid] = I;
    answer!value_is(value)
}

active [CACHES] proctype Cache()                /* process ids from 0 */
{
    bit value;
    byte k;

end:
    do
    /* the processor reads or writes; a miss asks the directory first */
    :: line[_pid] == I -> request!get_s(_pid, 0); goto wait_s
    :: line[_pid] != M -> request!get_m(_pid, 0); goto wait_m
    :: line[_pid] != I -> assert(value == latest)
    :: line[_pid] == M -> d_step { value = 1 - value; latest = value }

    /* the line is needed for something else */
    :: line[_pid] == S -> line[_pid] = I
    :: line[_pid] == M -> line[_pid] = I; request!put_m(_pid, value); goto wait_put

    :: command[_pid]?invalidate(_) -> obey_invalidate()
    :: command[_pid]?fetch(_)      -> obey_fetch()
    od;

wait_s:
    do
    :: command[_pid]?invalidate(_) -> obey_invalidate()
    :: command[_pid]?data(value) -> line[_pid] = S; goto end
    od;

wait_m:
    do
    :: command[_pid]?invalidate(_) -> obey_invalidate()
    :: command[_pid]?data(value) ->
       line[_pid] = M;
       for (k : 0 .. CACHES-1) {
           assert(k == _pid || line[k] == I)
       }
       goto end
    od;

wait_put:
    do
    :: command[_pid]?fetch(_) -> obey_fetch()   /* the write-back came too late */
    :: command[_pid]?put_done(_) -> goto end
    od
}

active proctype Directory()
{
    bit memory, value;
    byte owner = NOBODY;        /* cache with M */
    bool sharer[CACHES];        /* caches that may have S */
    byte who, k;
    mtype wish;

end:
    do
    :: request?wish(who, value) ->
       if
       :: wish == put_m ->
          if
          :: owner == who -> memory = value; owner = NOBODY
          :: else                               /* fetched in the meantime */
          fi;
          command[who]!put_done(0)
       :: else ->
          if
          :: owner != NOBODY ->
             command[owner]!fetch(0);
             answer?value_is(memory);
             owner = NOBODY
          :: else
          fi;
          if
          :: wish == get_m ->
             for (k : 0 .. CACHES-1) {
                 if
                 :: sharer[k] && k != who ->
                    command[k]!invalidate(0);
                    answer?dropped(_)
                 :: else
                 fi;
                 sharer[k] = false
             }
             owner = who
          :: else -> sharer[who] = true
          fi;
          command[who]!data(memory)
       fi
    od
}
