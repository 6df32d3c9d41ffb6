/*
 * A job scheduler with a priority queue.
 *
 * Clients submit jobs of different urgency: level 1 is the most urgent. A
 * worker always takes the most urgent job; another worker, the express, takes
 * jobs of level 1 only. A client may withdraw a job that still waits.
 *
 * Modelled:   the queue is a channel with sorted sending (!!), which keeps the
 *             smallest level in front; a job is withdrawn from the middle of
 *             the queue by random receiving (??).
 * Abstracted: what the jobs do, and how long it takes.
 * Checked:    no job is taken while a more urgent one waits (assertions), and
 *             no deadlock. The formula served_in_the_end is violated: urgent
 *             jobs may overtake another one for ever. It holds under weak
 *             fairness, since then a client in the end withdraws its job.
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef LEVELS
#define LEVELS 3                /* at most 7 */
#endif

mtype = { done };

chan queue = [CLIENTS] of { byte, pid };        /* level, client */
chan report[CLIENTS] = [0] of { mtype };
byte waiting[LEVELS + 1];                       /* jobs of each level in the queue */

active [CLIENTS] proctype Client()              /* process ids from 0 */
{
    unsigned level : 3;

end:
    do
    :: select (level : 1 .. LEVELS);
       d_step {
           queue!!level,_pid;
           waiting[level]++
       };
submitted:
       if
       :: report[_pid]?done
       :: d_step {                              /* withdraw, if it still waits */
              queue??eval(level),eval(_pid) ->
              waiting[level]--
          }
       fi
    od
}

active proctype Worker()
{
    byte level, k;
    pid client;

end:
    do
    :: d_step {
           queue?level,client ->
           waiting[level]--;
           for (k : 1 .. level - 1) {
               assert(waiting[k] == 0)
           }
           k = 0
       };
       report[client]!done
    od
}

active proctype Express()
{
    pid client;

end:
    do
    :: d_step {
           queue?1,client ->
           waiting[1]--
       };
       report[client]!done
    od
}

ltl served_in_the_end { [] (Client[0]@submitted -> <> !Client[0]@submitted) }
