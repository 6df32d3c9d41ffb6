/* P, then Q, then nothing for ever: n stays 2. Nobody is enabled at the end, so the run is fair, and the
 * formula is violated. With `-f`, Spin's verifier finds no error: nobody can be given the turn that it
 * waits for. */
byte n;

active proctype P() { n = 1 }
active proctype Q() { n = 2 }
