/* Buffered messages, local steps that Spin merges, a choice, a record, an array: an assertion fails. */
mtype = { request, grant }
typedef Pair { byte first; byte second }
byte served
byte seen[3]
Pair last
chan requests = [2] of { mtype, byte }

active [2] proctype Client() {
    byte ticket
    byte twice
    ticket = _pid + 1
    twice = ticket * 2
    requests ! request, twice
    if
    :: ticket > 1 -> twice = 0
    :: else -> printf("client %d is the first\n", _pid)
    fi
}

active proctype Server() {
    byte who
    do
    :: requests ? request, who ->
        seen[who / 2] = who
        last.first = who
        served++
        assert(served < 2)
    od
}
