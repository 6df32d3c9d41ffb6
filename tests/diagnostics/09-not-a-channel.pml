/* Things used as what they are not. */
mtype = { ping, pong };
typedef Node { byte id; chan in }
chan c = [1] of { byte };
int n;
bool b;
Node node, other;

active proctype P() {
	n ! 1;
	b ? n;
	ping ! 1;
	node ! 1;
	node.in ! 1;
	len(n) > 0;
	c++;
	c[2] ! 1;
	node = other;
	n = node;
	n.id = 1;
	node.idd = 1;
	n[1] = 2
}
