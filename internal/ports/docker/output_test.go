package docker

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

func frame(stream byte, text string) string {
	n := len(text)
	return string([]byte{stream, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + text
}

func TestCollect(t *testing.T) {
	for _, tt := range []struct {
		name, in, stdout, stderr, fails string
	}{
		{"nothing", "", "", "", ""},
		{"both", frame(1, "a") + frame(2, "b") + frame(1, "") + frame(0, "c"), "ac", "b", ""},
		{"long", frame(1, strings.Repeat("x", 100_000)), strings.Repeat("x", 100_000), "", ""},
		{"cut header", frame(1, "a") + "\x01\x00", "a", "", "unexpected EOF"},
		{"cut frame", "\x01\x00\x00\x00\x00\x00\x00\x09abc", "abc", "", "EOF"},
		{"a lie about length", "\x01\x00\x00\x00\xff\xff\xff\xffabc", "abc", "", "EOF"},
		{"unknown stream", frame(7, "a"), "", "", "unknown stream 7"},
		{"the engine", frame(3, "gone wrong"), "", "gone wrong", "gone wrong"},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			o := newOutput(0)
			err := o.collect(r)
			if string(o.kept[0]) != tt.stdout || string(o.kept[1]) != tt.stderr || (err != nil) != (tt.fails != "") ||
				err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: %.20q, %.20q, %v", tt.name, o.kept[0], o.kept[1], err)
			}
		}
	}
	reset := io.MultiReader(strings.NewReader(frame(1, "a")), iotest.ErrReader(syscall.ECONNRESET))
	if o := newOutput(0); o.collect(reset) != nil || string(o.kept[0]) != "a" {
		t.Errorf("a reset between two frames must be an end")
	}
	if o := newOutput(0); !errors.Is(o.collect(iotest.ErrReader(io.ErrClosedPipe)), io.ErrClosedPipe) {
		t.Errorf("another error must be returned")
	}
}

func FuzzCollect(f *testing.F) {
	f.Add([]byte(frame(1, "out") + frame(2, "err")))
	f.Add([]byte("\x02\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		o := newOutput(8)
		_ = o.collect(bytes.NewReader(in))
		if len(o.kept[0]) > 8 || len(o.kept[1]) > 8 || o.total > int64(len(in)) {
			t.Errorf("kept %d and %d bytes of %d in all", len(o.kept[0]), len(o.kept[1]), o.total)
		}
	})
}
