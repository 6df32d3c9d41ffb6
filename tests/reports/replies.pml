/* Arrays of channels, global, local, and in records; a rendezvous, which holds no message. */
mtype = { ask, answer };
typedef Line { chan to[2] = [1] of { byte } };

chan request = [0] of { mtype, byte };
chan reply[2] = [1] of { mtype };
Line line[2];

active [2] proctype Client() {
    chan note[2] = [1] of { byte };
    request!ask(_pid);
    note[1]!7;
    reply[_pid]?answer;
    line[1].to[_pid]!_pid
}

active proctype Server() {
    byte who;
    end: do
    :: request?ask(who) -> reply[who]!answer
    od
}

active proctype Watch() {
    byte x;
    line[1].to[0]?x;
    line[1].to[1]?x;
    assert(false)
}
