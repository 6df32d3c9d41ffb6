/* A run that ends while the processes left are at their ends must leave the trace at an end as well. That is no invalid end state
   of the model: safety holds. */
chan c = [2] of { byte };

active proctype P()
{
	c!1;
end:
	c?2
}

trace {
	do
	:: c!1; c!2
	od
}
