/* What an indivisible step cannot do. */
byte x;

proctype Q() { skip }

init {
	d_step {
		x = 1;
		run Q();
		if
		:: x == 1 -> goto out
		:: else
		fi;
	inside:
		x = 2
	};
	goto inside;
out:
	skip
}
