// Command testchild is a child of a sandbox for tests: a correct one, or one with the
// misbehaviour selected by its first argument. It can also be a worker that is killed while
// its children run.
package main

import (
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

func main() {
	child.Main()
	modes := maps.Clone(greetings)
	modes["worker"], modes["linger"] = worker, linger
	for _, lies := range []map[string]lie{protocolLies, processLies} {
		for name, tell := range lies {
			modes[name] = func() { serve(tell) }
		}
	}
	if len(os.Args) < 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "testchild: the modes are", slices.Sorted(maps.Keys(modes)))
		os.Exit(2)
	}
	modes[os.Args[1]]()
}

// lie is the reaction of a child to an order to run something.
type lie func(c *conn, r *wire.Run)

// conn holds the two pipes of a child.
type conn struct {
	orders, answers *os.File
	in              *wire.Reader
	out             *wire.Writer
}

func open() *conn {
	orders, answers := os.NewFile(3, "orders"), os.NewFile(4, "answers")
	return &conn{orders, answers, wire.NewReader(orders), wire.NewWriter(answers)}
}

// Close closes both pipes.
func (c *conn) Close() {
	_ = c.orders.Close()
	_ = c.answers.Close()
}

// send writes a frame. It ends the process if the pool has closed the pipes.
func (c *conn) send(f wire.Frame) {
	if err := c.out.Write(f); err != nil {
		os.Exit(0)
	}
}

func (c *conn) done(r *wire.Run, value string) {
	c.send(wire.Frame{Done: &wire.Done{Run: r.ID, Value: []byte(value)}})
}

func serve(tell lie) {
	debug.SetGCPercent(100) // as in a correct child: the pool starts it without a collector
	c := open()
	for {
		switch f, err := c.in.Read(); {
		case err != nil:
			return
		case f.Setup != nil:
			setup = *f.Setup
			c.send(wire.Frame{Hello: &wire.Hello{}})
		case f.Run != nil:
			tell(c, f.Run)
		}
	}
}

// setup holds the lockdown of a correct child.
var setup wire.Setup

// linger waits to be killed.
func linger() { <-time.After(time.Hour) }
