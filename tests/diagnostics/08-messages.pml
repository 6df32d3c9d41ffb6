/* Messages that do not fit their channel. */
chan pair = [2] of { byte, byte };
chan one = [0] of { byte };
byte x;

active proctype P() {
	pair ! 1;
	pair ! 1, 2, 3;
	one ! 1(2);
	pair ? x, x;
	one ? <x>;
	one ? x, _
}
