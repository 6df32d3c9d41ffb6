chan c = [2] of { byte, byte };
byte x;

active proctype P() { c!1,2 }

trace {
	xr c;
	c!x,_;
	c?eval(x),x;
	x = 1;
	c!!1,2;
	c??1,2;
	c?<1,2>;
	c?[1,2];
	do
	:: c!1,1
	:: break
	od;
	atomic { c!1,2 }
}

notrace {
	c!1,1;
end:	c!2,2
}
