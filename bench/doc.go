// Package bench compares Helve with bare NATS: in one run, on one machine, with every
// part in a process of its own.
//
// It promises that it measures everything that it compares in the same way: with the
// same caller program, payload and request style, in alternating rounds, so that a
// machine that slows down slows all of them; that a call that does not succeed is
// counted and reported, never hidden in the timings; and that its processes and files
// are gone when it returns. It does not subtract other load of the machine from the
// figures, and the figures are not valid for another machine.
package bench
