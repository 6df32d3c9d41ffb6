/* Who is created gets the number that is free: whether an older process has ended decides which. So to
 * create a process and to end one are not independent. A reduction that takes them for independent loses
 * the run in which the number is 2. Here somebody always ends first in one of the two orders.
 */
byte done;

active proctype Short()
{
    skip
}

active proctype Creator()
{
    byte mine;
    mine = 1;
    run Child()
}

active proctype Ender()
{
    byte mine;
    mine = 1;
    done = 1
}

proctype Child()
{
    assert(_pid != 3)
}
