/* `!` and `?` in conditions are no messages: nobody sends where a condition comes before a receive. */
chan c = [2] of { byte };
byte x;

active proctype P() { c!1; x != 3; here: x = 5 }
active proctype Q() { byte v; c?v }
