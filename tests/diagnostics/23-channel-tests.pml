/* full and the like are not to be negated. */
chan queue = [3] of { byte };
byte n;

active proctype Producer() {
	do
	:: !full(queue) -> queue ! n
	:: full(queue) == false -> n++
	:: !(n > 1 && empty(queue)) -> break
	od
}

active proctype Consumer() {
	do
	:: nempty(queue) -> queue ? n
	:: !nempty(quue) -> break
	od
}
