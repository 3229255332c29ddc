package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// protocolLies break the protocol, or use it in unusual ways.
var protocolLies = map[string]lie{
	"closes":       func(c *conn, _ *wire.Run) { c.Close(); linger() },
	"silent":       func(*conn, *wire.Run) { linger() },
	"garbage":      func(c *conn, _ *wire.Run) { raw(c, framed("hello")) },
	"endless":      func(c *conn, _ *wire.Run) { raw(c, "\xff\xff\xff\xff") },
	"half":         func(c *conn, _ *wire.Run) { raw(c, "\x00\x00\x00\x05he"); linger() },
	"half, closes": func(c *conn, _ *wire.Run) { raw(c, "\x00\x00\x00\x05he"); c.Close(); linger() },
	"says too much": func(c *conn, r *wire.Run) {
		raw(c, framed(string(append(binary.AppendUvarint([]byte("d"), r.ID), "\x00and more"...))))
	},
	"hello again": func(c *conn, _ *wire.Run) { c.send(wire.Frame{Hello: &wire.Hello{}}) },
	"gives orders": func(c *conn, _ *wire.Run) {
		c.send(wire.Frame{Setup: &wire.Setup{}})
	},
	"another's run": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Done: &wire.Done{Run: r.ID + 1, Value: []byte("1")}})
	},
	"another's ask": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID - 1, Op: js.OpCall, Args: []byte("{}")}})
	},
	"no value":  func(c *conn, r *wire.Run) { c.send(wire.Frame{Done: &wire.Done{Run: r.ID}}) },
	"bad text":  func(c *conn, r *wire.Run) { c.done(r, "\"\xff\"") },
	"too large": func(c *conn, r *wire.Run) { c.done(r, `"`+strings.Repeat("x", 2<<20)+`"`) },
	"says internal": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Done: &wire.Done{Run: r.ID, Error: &wire.Failure{Kind: tool.Internal, Message: strings.Repeat("ü", 1<<20)}}})
	},
	"says denied": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Done: &wire.Done{Run: r.ID, Error: &wire.Failure{Kind: tool.PolicyDenied, Message: "no"}}})
	},
	"invents a kind": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Done: &wire.Done{Run: r.ID, Error: &wire.Failure{Kind: "free_form", Message: "no"}}})
	},
	"floods with asks": func(c *conn, r *wire.Run) {
		for id := uint64(1); ; id++ {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, ID: id, Op: js.OpCall, Args: []byte("{}")}})
		}
	},
	"floods with lines": func(c *conn, r *wire.Run) {
		for {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, Op: js.OpLog, Args: []byte(`{"level":"info","message":"x"}`)}})
		}
	},
	"floods with bulk": func(c *conn, r *wire.Run) {
		args := bytes.Repeat([]byte("1"), wire.Max-200)
		for id := uint64(1); ; id++ {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, ID: id, Op: js.OpCall, Args: args}})
		}
	},
	"asks for files": func(c *conn, r *wire.Run) {
		for id, op := range []js.Op{js.OpFile, js.OpFetch} {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, ID: uint64(id), Op: op, Args: []byte("{}")}})
			answer, err := c.in.Read()
			if err != nil || answer.Answer == nil || answer.Answer.Error == nil || answer.Answer.Error.Kind != tool.PermissionDenied {
				linger()
			}
		}
		c.done(r, `"refused"`)
	},
	"remembers": func(c *conn, r *wire.Run) {
		seen = append(seen, r.Context.UserID)
		c.done(r, `"`+strings.Join(seen, " ")+`"`)
	},
	"says too much in one write": func(c *conn, r *wire.Run) {
		done := framed(string(append(binary.AppendUvarint([]byte("d"), r.ID), "\x011"...)))
		raw(c, done+done)
	},
	"asks for more": func(c *conn, r *wire.Run) {
		c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, ID: 1, Op: js.OpNext, Args: []byte("{}")}})
		answer, err := c.in.Read()
		if err != nil || answer.Answer == nil || answer.Answer.Error == nil || answer.Answer.Error.Kind != tool.PermissionDenied {
			linger()
		}
		c.done(r, `"refused"`)
	},
	"sends its arguments": func(c *conn, r *wire.Run) {
		var requests []struct {
			Op   js.Op           `json:"op"`
			Next json.RawMessage `json:"next"`
		}
		if json.Unmarshal(r.Args, &requests) != nil {
			linger()
		}
		for i, req := range requests {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, ID: uint64(i), Op: req.Op, Args: req.Next}})
		}
		linger()
	},
	"goes on": func(c *conn, r *wire.Run) {
		c.done(r, "1")
		for {
			c.send(wire.Frame{Ask: &wire.Ask{Run: r.ID, Op: js.OpCall, Args: []byte("{}")}})
		}
	},
}

// seen holds the users that a child has served.
var seen []string

func framed(body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
}

func raw(c *conn, text string) { _, _ = c.answers.Write([]byte(text)) }

// greetings are the first frames of children that are not ready.
var greetings = map[string]func(){
	"deaf":    func() { open().send(wire.Frame{Hello: &wire.Hello{}}); linger() },
	"leaves":  func() {},
	"refuses": func() { open().send(wire.Frame{Hello: &wire.Hello{Error: "cannot be locked down: no landlock"}}) },
	"chatters": func() {
		c := open()
		for {
			c.send(wire.Frame{Done: &wire.Done{Run: 1, Value: []byte("1")}})
		}
	},
	"complains": func() { panic("the wrong binary") },
}
