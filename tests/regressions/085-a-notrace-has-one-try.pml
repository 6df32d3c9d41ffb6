/* The first event that does not fit saves the run from a notrace for good, whatever happens later. A run that ends in the
   middle of it has not broken it (Spin takes that for an invalid end state). */
chan c = [3] of { byte };

active proctype P()
{
	if
	:: c!1; c!1; c!2
	:: c!1
	fi;
end:
	c?7
}

notrace {
	c!1; c!2
}
