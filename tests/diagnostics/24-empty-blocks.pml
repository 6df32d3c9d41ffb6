/* Nothing is written `skip`. */
byte x;

proctype Nothing() {
}

active proctype P() {
	atomic { };
	if
	:: x == 0 ->
	:: else
	fi;
	do od;
	x = ;
	for (x : 1 .. 3) { }
}
