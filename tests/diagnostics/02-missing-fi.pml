/* A traffic light: an `if` inside a `do` is not closed. */
mtype = { red, amber, green }
mtype light = red

active proctype Light() {
	do
	:: light == red ->
		if
		:: light = green
		:: light = amber -> light = green
	:: light == green -> light = amber
	:: light == amber -> light = red
	od
}
