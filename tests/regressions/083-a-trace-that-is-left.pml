/* A trace watches the sends to the channels that it sends to, and nothing else: the receives from `c`, and all of `d`, are
   not its matter. The second 1 breaks it, although it comes out of a d_step. */
chan c = [2] of { byte };
chan d = [2] of { byte };

active proctype P()
{
	c!1;
	d!7;
	c?_;
	d_step { c!2; c?_; c!1 }
}

trace {
	c!1; c!_; c!2
}
