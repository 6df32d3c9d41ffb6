/* Two receivers are enabled in every handshake, and one of them gets it. A run in which the same always
 * gets it is not strongly fair to the other. It is weakly fair: while the message is dealt with, the other
 * is not enabled. */
chan c = [0] of { bit };
bit r[2];

active [2] proctype R() { do :: c?_ -> r[_pid] = 1; r[_pid] = 0 od }
active proctype S() { do :: c!1; (r[0] == 0 && r[1] == 0) od }
