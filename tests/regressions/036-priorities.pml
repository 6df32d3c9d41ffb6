/* With priorities in the model, only the processes of the highest priority that can move do. */
byte x, y;
active proctype Low() priority 1 { x = 1; x = 2; y > 0; x = 3 }
active proctype Middle() priority 5 { y == 0; x > 1; y = 1; y = 2 }
active proctype High() priority 9 { x == 2 -> y = 5 }
