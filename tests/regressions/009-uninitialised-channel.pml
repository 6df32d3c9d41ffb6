/* A channel variable that names no channel cannot be used. */
chan c;
active proctype P() { c ! 1 }
chan other = [1] of { byte };
