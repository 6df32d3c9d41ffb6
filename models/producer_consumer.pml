/*
 * Producers and consumers with a broker between them.
 *
 * The producers hand their items to the broker over a rendezvous channel: the
 * two meet, nothing is stored. The broker puts the items into a buffer, from
 * which the consumers take them.
 *
 * Modelled:   PRODUCERS producers with ITEMS items each, numbered 1, 2, ...;
 *             CONSUMERS consumers; a buffer of SLOTS items. When all items
 *             have been made the broker sends every consumer an item of the
 *             kind stop.
 * Abstracted: what is produced.
 * Checked:    the items of a producer leave the buffer in order, and none is
 *             lost (assertions); in the end everything is consumed (formula
 *             all_consumed). The formula buffer_fills says that in every run
 *             the buffer is full at some time: it is violated.
 *
 * The model shows the meaning of atomic around channel operations. A
 * rendezvous hands control from the sender to the receiver; when a full buffer
 * blocks the middle of an atomic sequence, others may go on.
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define TOTAL (PRODUCERS * ITEMS)

mtype = { item, stop };

chan handover = [0] of { byte, byte };                  /* producer, number */
chan buffer   = [SLOTS] of { mtype, byte, byte };       /* kind, producer, number */

byte taken[PRODUCERS];          /* last item of each producer taken */
byte produced, consumed;

active [PRODUCERS] proctype Producer()          /* process ids from 0 */
{
    byte n;

    for (n : 1 .. ITEMS) {
        atomic {
            handover!_pid,n;
            produced++
        }
    }
}

active proctype Broker()
{
    byte who, n, i;

    for (i : 1 .. TOTAL) {
        atomic {
            handover?who,n;
            buffer!item(who, n)
        }
    }
    for (i : 1 .. CONSUMERS) {
        buffer!stop(0, 0)
    }
}

active [CONSUMERS] proctype Consumer()
{
    byte who, n;

    do
    :: atomic {
           buffer?item(who, n) ->
           assert(n == taken[who] + 1);
           taken[who] = n
       };
       consumed++;
       assert(consumed <= TOTAL)
    :: buffer?stop(_, _) -> break
    od
}

ltl all_consumed { <> (consumed == TOTAL) }
ltl buffer_fills { <> (len(buffer) == SLOTS) }
