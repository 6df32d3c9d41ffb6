/* Two processes take part in a rendezvous: whose priority counts? */
chan c = [0] of { byte };
byte x;

active proctype P() { c!1 }

active proctype Q() {
	c?x;
	set_priority(0, 4)
}
