/* What stands before the body of a process. */
byte x;

active [300] proctype Many() { skip }
active [x] proctype Some() { skip }
active proctype Busy() priority 0 { skip }
active proctype Gated() provided { skip }
active process Wrong() { skip }
active proctype () { skip }
proctype Array(byte a[2]) { skip }
proctype Preset(byte a = 1) { skip }
proctype Unknown(bite a) { skip }
proctype NoBody()
init { x = 1; }
