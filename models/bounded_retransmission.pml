/*
 * The bounded retransmission protocol (Philips; Groote and Van de Pol, 1993).
 *
 * A file of CHUNKS chunks is sent over lossy channels, with an alternating bit
 * as protection. In contrast to the alternating bit protocol the sender gives
 * up when a chunk has been sent 1 + RETRIES times in vain. Then it must tell
 * its user what happened: nok (the file did not arrive), or dont_know when
 * the chunk in question was the last one, for it may have arrived and only
 * its acknowledgement been lost.
 *
 * Modelled:   one file after the other; a timer of the sender that expires
 *             only when chunk and acknowledgement are gone (timeout); a timer
 *             of the receiver that expires only after the sender has ended.
 * Abstracted: chunks carry no data, but their number, for the check.
 * Checked:    the chunks arrive in order, each once, and the verdict of the
 *             sender agrees with the verdict of the receiver (assertions).
 *             The formula reported says that the sender always comes to a
 *             verdict; it holds, since the retries are bounded.
 */

#ifndef CHUNKS
#define CHUNKS 10
#endif
#ifndef RETRIES
#define RETRIES 4
#endif

mtype = { busy, ok, nok, dont_know };

chan data = [1] of { bool, bit, byte };         /* last chunk?, bit, number */
chan ack  = [1] of { bit };

mtype sent = busy;              /* verdict of the sender on this file */
mtype received = busy;          /* verdict of the receiver on this file */

/* hand a chunk to the channel, or lose it */
inline send_chunk()
{
    if
    :: data!(chunk == CHUNKS),toggle,chunk
    :: skip
    fi
}

active proctype Sender()
{
    byte chunk, tries;
    bit toggle, got;

next_file:
    toggle = 0;
    for (chunk : 1 .. CHUNKS) {
        tries = 0;
        send_chunk();
        do
        :: ack?got ->
           assert(got == toggle);
           break
        :: timeout ->
           if
           :: tries < RETRIES ->
              tries++;
              send_chunk()
           :: else -> goto give_up
           fi
        od;
        toggle = 1 - toggle
    }
    assert(received == ok);
    sent = ok;
    goto pause;

give_up:
    sent = (chunk == CHUNKS -> dont_know : nok);

pause:
    sent == busy;                       /* until the receiver is ready, too */
    goto next_file
}

active proctype Receiver()
{
    byte expected = 1, chunk;
    bit toggle, got;
    bool last;

    do
    :: data?last,got,chunk ->
       if
       :: got == toggle ->
          assert(chunk == expected && received == busy);
          expected++;
          toggle = 1 - toggle;
          if
          :: last -> received = ok
          :: else
          fi
       :: else                          /* a repeated chunk */
       fi;
       if
       :: ack!got
       :: skip                          /* lost */
       fi
    :: sent != busy ->                  /* nothing more will come */
       if
       :: received == busy -> received = nok
       :: else
       fi;
       assert((sent == ok && received == ok) ||
              (sent == nok && received == nok) || sent == dont_know);
       d_step {                         /* get ready for the next file */
           expected = 1;
           toggle = 0;
           received = busy;
           sent = busy
       }
    od
}

ltl reported { [] <> (sent != busy) }
