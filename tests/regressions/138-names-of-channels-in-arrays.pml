/* What breaks the assertion is a message on the second channel of the array. */
chan reply[2] = [1] of { byte };
active proctype P() { reply[0]!1; reply[1]!2 }
trace { do :: reply[0]!_ :: reply[1]!3 od }
