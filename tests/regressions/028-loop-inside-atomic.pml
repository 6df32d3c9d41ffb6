/* A loop without an end inside atomic: the search must end all the same. (Spin's does not.) */
byte x;
active proctype P() {
	atomic {
		do
		:: x = 1 - x
		od
	}
}
active proctype Q() { x = 5 }
