/* So is a negative one. */
byte a[3];
short i = 2;
byte sum;
active proctype P() {
	do
	:: sum = sum + a[i]; i--
	od
}
