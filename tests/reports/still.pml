/* Nothing can happen: a run without steps. */
byte x = 1;

active proctype P() { x == 0 }
