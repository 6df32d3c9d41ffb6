/* select between variables is a loop that counts up. */
byte x, low = 3, high = 7;
active proctype P() {
	select (x : low .. high)
}
active proctype Q() { x > 4 }
