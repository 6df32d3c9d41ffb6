/* Characters that are not part of the language. */
byte x, naïve;

active proctype P() {
	x = 1 § 2;
	x = `x`;
	x = "text";
	x = 'ab';
	x = 12abc
}
