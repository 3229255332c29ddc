// Package bench measures Helve beside bare NATS: in one run, on one machine,
// with every part in a process of its own.
//
// It promises that what it compares was measured the same way: the same caller
// program, payload and request style, in rounds that take turns so that a
// machine that slows down slows all of them; that a call which does not succeed
// is counted and reported, never timed away; and that its processes and files
// are gone when it returns. Nothing of the machine's other load is taken out of
// the figures, and none of them says anything about another machine.
package bench
