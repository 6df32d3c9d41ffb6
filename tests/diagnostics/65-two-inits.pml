/* Two processes called init, which is odd; the unknown name is the only error. */
byte x;
init { x = 1 }
init { y = 2 }
