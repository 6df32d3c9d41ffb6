/* An error inside of a macro is shown where it is used and where it is written. */
#define INCREMENT(v) v = v + ;
#define LOCKED (lock == true
#define GRAB LOCKED; lock = false
bool lock;
byte count;

active proctype P() {
	INCREMENT(count);
	GRAB;
	count = totl
}
