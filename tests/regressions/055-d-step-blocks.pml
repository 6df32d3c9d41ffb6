/* A d_step that blocks in its middle is an error of the model. */
byte x;
active proctype P() {
	d_step { x = 1; (x == 2); x = 3 }
}
