/** Words of a query, or of a description, that say nothing of what a tool does. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after again all also am an and any anything are as at be because been before being between both but by can could did do does doing " +
    "done during each else for from had has have having he her here him his how i if in into is it its itself just let lets like " +
    "may maybe me mine might more most much must my need needs no not now of off often on once one only onto or other our " +
    "ours out over own per please possible really s same shall she should so some something somebody someone such t than that " +
    "the their them then there these they thing things this those through to too under until up upon us very want wants " +
    "was we were what when where which while who whom whose why will with within without would yes yet you your yours " +
    "using use via etc eg ie across currently still"
  ).split(" "),
);
