/* An atomic sequence that ends is one step, and everybody who executes something in it takes part. P hands
 * control to Q inside it by a handshake; Q takes part in every round, T in none. A d_step is one step of
 * its process. */
chan c = [0] of { bit };
bit q, t, d;

active proctype P() { do :: atomic { c!1; skip } od }
active proctype Q() { do :: c?_ -> q = 1 - q od }
active proctype T() { do :: t = 1 - t od }
active proctype D() { do :: d_step { d = 1 - d; d = 1 - d; d = 1 - d } od }
