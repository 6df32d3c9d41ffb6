/* Without the label it is an invalid end state; the shortest way there has seven steps. */
chan c = [2] of { byte };
byte x;
active proctype Server() {
	do
	:: c ? x -> x = 0
	od
}
active proctype Client() { c ! 1; c ! 2 }
