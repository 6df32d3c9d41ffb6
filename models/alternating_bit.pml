/*
 * The alternating bit protocol over lossy channels (Bartlett, Scantlebury and
 * Wilkinson, 1969).
 *
 * The sender numbers its messages 0, 1, 0, 1, ... and repeats a message until
 * the acknowledgement with the same bit comes back. The receiver takes a
 * message only if its bit is the one it expects, and acknowledges always.
 *
 * Modelled:   both directions lose messages, at the will of a process of its
 *             own; the timer of the sender may expire at any moment, also too
 *             early, as long as there is room in the channel.
 * Abstracted: the data are the numbers 0 .. DATA-1 in rotation, which is
 *             enough to notice a message that is lost or delivered twice.
 * Checked:    the messages arrive in order, each once (assertion). The formula
 *             delivery is violated, for everything may be lost for ever;
 *             delivery_if_lucky holds: if the losses end, messages arrive
 *             again and again.
 */

#ifndef SLOTS
#define SLOTS 2         /* capacity of each channel */
#endif
#ifndef DATA
#define DATA 5
#endif

chan forth = [SLOTS] of { bit, byte };  /* sequence bit, data */
chan back  = [SLOTS] of { bit };        /* acknowledged bit */

active proctype Sender()
{
    bit seq, got;
    byte data;

    forth!seq(data);
    do
    :: back?got ->
       if
       :: got == seq ->
          seq = 1 - seq;
          data = (data + 1) % DATA;
          forth!seq(data)
       :: else                          /* an old acknowledgement */
       fi
    :: nfull(forth) -> forth!seq(data)  /* the timer: repeat */
    od
}

active proctype Receiver()
{
    bit expected, seq;
    byte data, next;

    do
    :: forth?seq(data) ->
       if
       :: seq == expected ->
fresh:
          assert(data == next);
          next = (next + 1) % DATA;
          expected = 1 - expected
       :: else                          /* a message that was repeated */
       fi;
       back!seq
    od
}

active proctype Loss()
{
end:
    do
    :: forth?_,_ ->
lost_forth:
       skip
    :: back?_ ->
lost_back:
       skip
    od
}

#define losing    (Loss@lost_forth || Loss@lost_back)
#define receiving (Receiver@fresh)

ltl delivery          { [] <> receiving }
ltl delivery_if_lucky { (<> [] !losing) -> ([] <> receiving) }
