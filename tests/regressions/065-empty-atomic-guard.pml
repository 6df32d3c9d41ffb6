/* An atomic sequence whose first statement blocks is not entered. */
byte x;
active [2] proctype P() {
	atomic { (x == _pid) -> x++; x = x + 1; x-- }
}
