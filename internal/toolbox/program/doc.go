// Package program runs the turns of programs on a worker: the code of a call in the sandbox,
// which asks a dispatcher through this package what it sees next.
//
// It promises that a turn whose program goes on elsewhere stores nothing, and that the end of
// a program is stored by its dispatcher before its call has a result. It holds no state between
// two turns: what a program has done is in its journal, which dispatchers write (package
// internal/dispatch/program).
package program
