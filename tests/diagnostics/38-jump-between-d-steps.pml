/* From the middle of one indivisible step into the middle of another. */
byte x;

active proctype P() {
	d_step {
		x = 1;
		if
		:: x == 1 -> goto two
		:: else
		fi;
		x = 2
	};
	d_step {
		x = 3;
two:		x = 4
	}
}
