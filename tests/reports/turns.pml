/* Two processes want to enter; a turn is handed on by whoever leaves. The first may stay away for ever. */
bool wants[2], inside[2];
byte turn;

active [2] proctype Worker() {
    do
    :: wants[_pid] = true;
       (!wants[1 - _pid] || turn == _pid);
       inside[_pid] = true;
       inside[_pid] = false;
       turn = 1 - _pid;
       wants[_pid] = false
    :: _pid == 0 -> skip
    od
}

ltl exclusion { [] !(inside[0] && inside[1]) }
ltl served    { [] (wants[1] -> <> inside[1]) }
ltl first     { <> inside[0] }
ltl never_two { [] (turn != 1) }
