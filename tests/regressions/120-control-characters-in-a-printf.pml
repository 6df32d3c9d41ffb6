/* What is printed must not reach the terminal as it is; the JSON report has it. An end of a line and a tab stay. */
byte x;

active proctype P() { printf("a	b\n[31mred2J‮"); assert(x == 1) }
