/* Spin's verifiers cannot be compiled for this: "use of priorities cannot be combined with rendezvous". */
chan c = [0] of { byte };
byte x;

active proctype P() priority 3 { c!1 }
active proctype Q() { c?x }
