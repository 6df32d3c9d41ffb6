/* A process may rest at an end label; a message that nobody takes is no error. */
chan c = [2] of { byte };
byte x;
active proctype Server() {
end_idle:
	do
	:: c ? x -> x = 0
	od
}
active proctype Client() { c ! 1; c ! 2 }
