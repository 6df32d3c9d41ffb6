/* A run that ends: what must happen later does not happen any more. */
byte x;
active proctype P() { x = 1; x = 2 }
ltl three { <> (x == 3) }
