/* `else` in a claim stands for all that the conditions before it exclude; a claim that cannot move accepts nothing. */
byte n;

active proctype P()
{
	do
	:: n = (n + 1) % 4
	od
}

never {
waiting:
	if
	:: n == 3 -> goto accept_seen
	:: else -> goto waiting
	fi;
accept_seen:
	if
	:: n == 0 -> goto accept_seen
	:: n == 1 -> goto accept_seen
	fi
}
