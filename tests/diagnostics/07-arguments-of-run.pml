/* The number of arguments must fit: a record counts as its fields. */
typedef Point { byte x; byte y }

proctype Move(Point p; byte distance) { distance > p.x + p.y }
proctype Stop() { skip }

init {
	Point here;
	run Move(here, 3);
	run Move(1, 2, 3);
	run Move(here);
	run Stop(here);
	run Stop(1)
}
