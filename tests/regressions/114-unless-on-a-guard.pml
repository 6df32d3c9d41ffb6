/* The escape alone can choose the option: a warning here, an error message that ends nothing in Spin. */
byte x = 1, y;

active proctype P() {
	if
	:: (x == 0) unless (x == 1) -> x = 2
	:: y == 5 -> y = 6
	fi;
	assert(x == 2);
	y = 1
}
