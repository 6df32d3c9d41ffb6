/*
 * A token ring whose stations come and go.
 *
 * A token travels around a ring of stations; who holds it may work. The holder
 * may also start a new station, which takes its place right after it, or leave
 * the ring. A leaving station sends the message bye instead of the token: it
 * travels around the ring to the predecessor, which from then on sends to the
 * successor of the one that left. The process of the station ends.
 *
 * Modelled:   up to SLOTS stations at a time and BIRTHS stations in all, made
 *             with run; channels are passed as parameters and in messages.
 * Abstracted: the work; nothing is lost and nobody crashes.
 * Checked:    there is one token at most (assertion), and the ring is never
 *             cut: the system ends only when the last station has switched
 *             off, with all links empty (assertion in init).
 */

#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef BIRTHS
#define BIRTHS 5
#endif

mtype = { token, bye };

/* link[i] leads to the station in slot i: kind, slot and successor of the
   station that left (0 and the link itself in a token) */
chan link[SLOTS] = [1] of { mtype, byte, chan };

bool used[SLOTS];               /* the slot has a station */
byte alive;                     /* stations in the ring */
byte births;                    /* stations started so far */
byte holders;                   /* stations that hold the token */

proctype Station(byte slot; chan out)
{
    chan in = link[slot];
    chan successor;
    byte gone, free;

    do
    :: in?token(_, _) ->
have_token:
       holders++;
       assert(holders == 1);
       if
       :: skip                                  /* just pass it on */
       :: births < BIRTHS && alive < SLOTS ->   /* start a neighbour */
          free = 0;
          do
          :: used[free] -> free++
          :: else -> break
          od;
          used[free] = true;
          alive++;
          births++;
          run Station(free, out);
          out = link[free]
       :: alive > 1 ->                          /* leave the ring */
          alive--;
          holders--;
          out!bye(slot, out);
          break
       :: alive == 1 && births == BIRTHS ->     /* switch off the last one */
          alive--;
          holders--;
          used[slot] = false;
          break
       fi;
       holders--;
       out!token(0, out)
    :: in?bye(gone, successor) ->
       if
       :: out == link[gone] ->                  /* my successor has left */
          out = successor;
          used[gone] = false;
          goto have_token
       :: else -> out!bye(gone, successor)
       fi
    od
}

init {
    byte i;

    used[0] = true;
    alive = 1;
    births = 1;
    run Station(0, link[0]);
    link[0]!token(0, link[0]);

    (_nr_pr == 1);                              /* only init is left */
    for (i : 0 .. SLOTS-1) {
        assert(empty(link[i]) && !used[i])
    }
}
