/* A message that says "a run violates one" says nothing to whoever reads it alone. */
byte x;
active proctype P() { do :: x = 1 - x od }
ltl one { [] (x == 0) }
