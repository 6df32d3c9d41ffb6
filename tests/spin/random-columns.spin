proc 0 = :init:
proc 1 = Helper
q\p   0   1
  1   handshake!5
  1   .   handshake?5
  2   .   buffer!5,3
          got 5
      timeout
  2   buffer?5,3
-------------
final state:
-------------
2 processes created
