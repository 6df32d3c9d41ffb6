/*
 * A sliding window protocol: go-back-N over lossy channels.
 *
 * The sender may have up to WINDOW unacknowledged frames under way. Frames are
 * numbered modulo SEQ. The receiver takes frames in order only and answers
 * each with the number it expects next; such an acknowledgement covers all
 * frames before it. At any time the sender may go back and send its whole
 * window again.
 *
 * Modelled:   channels of SLOTS messages that keep the order but may lose any
 *             message (also when they are full); a timer that may expire at
 *             any moment.
 * Abstracted: the data are a counter modulo 2*SEQ. A frame that is taken for
 *             another one with the same number is thus noticed.
 * Checked:    the data arrive in order, each once (assertion).
 *
 * It takes SEQ > WINDOW: with -DSEQ=WINDOW the assertion fails.
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef SEQ
#define SEQ (WINDOW + 1)
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define DATA (2 * (SEQ))

chan frames = [SLOTS] of { byte, byte };        /* number, data */
chan acks   = [SLOTS] of { byte };              /* number expected next */

/* hand a frame to the channel, or lose it */
inline send_frame(data)
{
    if
    :: frames!data % (SEQ), data
    :: skip
    fi
}

active proctype Sender()
{
    byte base;          /* data of the oldest unacknowledged frame */
    byte pending;       /* how many frames are unacknowledged */
    byte i, ack;

    do
    :: pending < WINDOW ->                      /* send a new frame */
       send_frame((base + pending) % DATA);
       pending++
    :: pending > 0 ->                           /* the timer: go back */
       for (i : 0 .. pending - 1) {
           send_frame((base + i) % DATA)
       }
       i = 0
    :: acks?ack ->                              /* slide the window */
       ack = (ack + (SEQ) - base % (SEQ)) % (SEQ);  /* frames covered */
       if
       :: ack <= pending ->
          base = (base + ack) % DATA;
          pending = pending - ack
       :: else                                  /* an old acknowledgement */
       fi;
       ack = 0
    od
}

active proctype Receiver()
{
    byte expected;      /* data expected next */
    byte seq, data;

    do
    :: frames?seq,data ->
       if
       :: seq == expected % (SEQ) ->
          assert(data == expected);
          expected = (expected + 1) % DATA
       :: else
       fi;
       if
       :: acks!expected % (SEQ)
       :: skip                                  /* lost */
       fi
    od
}
