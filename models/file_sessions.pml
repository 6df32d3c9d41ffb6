/*
 * Sessions on a file server.
 *
 * Clients open a file, read some blocks of it, and close it. The server lets
 * one client in at a time; the others wait in its queue until the file is
 * free.
 *
 * Modelled:   CLIENTS clients, each with one session of up to BLOCKS blocks;
 *             requests are buffered, every client has a channel of its own
 *             for answers.
 * Abstracted: what is read.
 * Checked:    the server's answers come in sessions: granted, any number of
 *             blocks, closed (trace assertion). The order of events is all
 *             that it says; which client each answer goes to is asserted
 *             (assertions). The end label says that the run may end between
 *             two sessions, but not in the middle of one.
 *
 * With -D GREEDY the server grants the file while it is in use: the trace
 * assertion is violated, though nobody gets stuck.
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

mtype = { open, read, close, granted, block, closed };

chan request = [CLIENTS] of { mtype, byte };            /* what, client */
chan waiting = [CLIENTS] of { byte };                   /* clients to be let in */
chan log     = [1] of { mtype, byte };                  /* every answer passes through here */
chan answer[CLIENTS] = [1] of { mtype };

byte holder = CLIENTS;          /* the client that is in; none */

active [CLIENTS] proctype Client()              /* process ids from 0 */
{
    byte blocks;

    request!open(_pid);
    answer[_pid]?granted;
    do
    :: blocks < BLOCKS ->
       request!read(_pid);
       answer[_pid]?block;
       blocks++
    :: break
    od;
    request!close(_pid);
    answer[_pid]?closed
}

inline say(what, who)
{
    atomic {
        log!what(who);
        log?_,_;
        answer[who]!what
    }
}

active proctype Server()
{
    byte client;

end:
    do
    :: request?open(client) ->
#ifdef GREEDY
       say(granted, client)
#else
       if
       :: holder == CLIENTS -> holder = client; say(granted, client)
       :: else -> waiting!client
       fi
#endif
    :: request?read(client) ->
#ifndef GREEDY
       assert(client == holder);
#endif
       say(block, client)
    :: request?close(client) ->
       say(closed, client);
#ifndef GREEDY
       if
       :: waiting?client -> holder = client; say(granted, client)
       :: empty(waiting) -> holder = CLIENTS
       fi
#endif
    od
}

trace {
end:
    do
    :: log!granted,_ ->
       do
       :: log!block,_
       :: log!closed,_ -> break
       od
    od
}
