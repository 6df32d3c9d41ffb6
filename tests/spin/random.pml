/* One process at a time can move, so that every random run is the same: messages, handshakes, timeout. */
byte x
chan handshake = [0] of { byte }
chan buffer = [2] of { byte, byte }

proctype Helper(byte k) {
    byte y
    handshake ? y
    buffer ! y, k
    printf("got %d\n", y)
}

init {
    byte z
    run Helper(3)
    handshake ! 5
    timeout
    buffer ? z, _
    x = z
}
