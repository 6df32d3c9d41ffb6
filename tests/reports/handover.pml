/* Buffered messages and a rendezvous between three; noise that nobody reads. */
chan c = [1] of { byte };
chan meet = [0] of { byte };
byte got, noise;
active proctype Sender() { noise = 7; c!3; c!4 }
active proctype Receiver() { byte x; c?x; meet!x; c?x; meet!x }
active proctype Judge() { byte y; noise = 1; meet?y; got = y; meet?y; got = y }
ltl never_four { [] (got != 4) }
ltl returns { [] (got == 3 -> <> (got == 0)) }
ltl before { (got != 4) U (got == 5) }
ltl settles { <> [] (noise == 0 || got == 3) }
