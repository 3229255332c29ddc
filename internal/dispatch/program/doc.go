// Package program runs the dispatchers' side of programs: calls whose code makes further calls,
// each an ordinary call of its own, and which wait as data for people, times and results.
//
// # Data flow
//
//  1. [Service.Begin] stores a program before its call is queued.
//  2. The worker that takes the call opens a session at any dispatcher, which reads the journal
//     (session.go: open), and asks it what the code sees next: first the journal. The first turn
//     of a program has no journal, and its first request opens its session too.
//  3. When the code has seen all of it, the steps that it has made become calls (flight.go).
//     What comes is appended to the journal and shown to the code (session.go: show). Nothing
//     that the code does then is taken up before the append is acknowledged.
//  4. If nothing comes for a while, the session stores what the program waits for and ends; the
//     worker takes the call off the queue (wait.go).
//  5. The dispatcher with the lease appends the outcome that a program waited for, and queues
//     the call again (waker.go): on with 2.
//
// # What it promises
//
//   - A program that was accepted ends in one result. Who is killed where is in the model of
//     package durable.
//   - Code that runs again sees what it saw before, in the same order, or the program ends.
//   - A step is made once: its id follows from the program and its number.
//
// # What it does not promise
//
// That a step acts at most once: that is the promise of every call, and the steps are calls.
package program
