/* Accepted, with a warning each: what few people mean. The unknown name at the end is the only error. */
chan c = [1] of { byte };
byte x, y;

active proctype P() {
	if
	:: x = 1 -> y = 2
	:: else -> y = 3
	fi;
	do
	:: x = 2 -> y = 1
	:: x == 3 -> break
	:: y == 4
	od;
	if /* a choice: nothing odd */
	:: x = 0 -> y = 0
	:: x = 1 -> y = 0
	:: y == 0; x = 4
	fi;
	if
	:: c?x -> skip
	:: c!1
	:: else
	fi;
	if
	:: nempty(c) -> skip
	:: else
	fi;
	if /* questions after contents are conditions */
	:: c?[1] -> skip
	:: len(c) == 0
	:: else
	fi;
	do
	:: (x == 0) unless (x == 1) -> x = 2
	:: x == 2 -> break
	od;
	z = 1
}
