/* Which of the channels? Spin: missing array index for 'back'. */
mtype = { CRED };
chan back[2] = [1] of { mtype, byte };

active proctype P() { back!CRED(1) }
