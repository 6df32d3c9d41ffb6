/*
 * Readers and writers, served by a monitor process.
 *
 * Several readers may use a document at a time, a writer must be alone. A
 * client sends its wish to the monitor, together with a channel of its own on
 * which it wants the answer: channels travel through channels.
 *
 * Modelled:   the monitor keeps two queues of waiting clients and prefers
 *             writers: while one is waiting, no new reader is admitted.
 * Abstracted: the document itself; only who uses it is recorded.
 * Checked:    readers and writers exclude each other (assertions and formula
 *             exclusion). The formula reader_served is violated: two writers
 *             that take turns keep the readers out.
 */

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

mtype = { read, write, read_done, write_done, go };

chan monitor = [0] of { mtype, chan };          /* wish, where to answer */
chan waiting_readers = [READERS] of { chan };
chan waiting_writers = [WRITERS] of { chan };

byte reading, writing;                          /* for the checks only */

active proctype Monitor()
{
    byte readers;               /* readers admitted */
    bool writer;                /* a writer is admitted */
    chan client;

end:
    do
    :: monitor?read(client)  -> waiting_readers!client
    :: monitor?write(client) -> waiting_writers!client
    :: monitor?read_done(_)  -> readers--
    :: monitor?write_done(_) -> writer = false
    :: nempty(waiting_writers) && readers == 0 && !writer ->
       waiting_writers?client;
       writer = true;
       client!go
    :: nempty(waiting_readers) && empty(waiting_writers) && !writer ->
       waiting_readers?client;
       readers++;
       client!go
    od
}

active [READERS] proctype Reader()
{
    chan answer = [0] of { mtype };

end:
    do
    :: monitor!read(answer);
asked:
       answer?go;
       reading++;
working:
       assert(writing == 0);
       reading--;
       monitor!read_done(answer)
    od
}

active [WRITERS] proctype Writer()
{
    chan answer = [0] of { mtype };

end:
    do
    :: monitor!write(answer);
       answer?go;
       writing++;
       assert(writing == 1 && reading == 0);
       writing--;
       monitor!write_done(answer)
    od
}

/* the first reader is process 1: the monitor is process 0 */
ltl exclusion     { [] (writing == 0 || (writing == 1 && reading == 0)) }
ltl reader_served { [] (Reader[1]@asked -> <> Reader[1]@working) }
