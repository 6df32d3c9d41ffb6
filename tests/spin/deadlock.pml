/* Handshakes and an atomic sequence, a process that is started and one that ends: both ask, and nobody answers. */
chan left = [0] of { byte }
chan right = [0] of { byte }
bool started

proctype Peer(chan mine; chan other) {
    byte got
    atomic { mine ? got; got = got + 1; started = true }
    other ! got
}

proctype Once() { skip }

init {
    byte answer
    run Once()
    run Peer(left, right)
    left ! 1
    right ? answer
    right ? answer
}
