/* P, then Q, then nothing for ever: n stays 2. Nobody is enabled at the end, so the run is fair, and the
 * formula is violated. With `-f`, Spin's verifier finds no error (bench/runs/fairness-beside-spin). */
byte n;

active proctype P() { n = 1 }
active proctype Q() { n = 2 }
