chan c = [1] of { bit };
bool x;
active proctype P() {
progress_here:
	c!0;
accept_here:
	x = 1
}
ltl exclusion { [] !x }
ltl { <> x }
never { do :: skip od }
never twice { do :: skip od }
trace { c!0 }
