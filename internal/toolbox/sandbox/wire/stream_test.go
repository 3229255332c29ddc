package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

var every = []Frame{
	{Setup: &Setup{Memory: 1, CPUSeconds: 2}},
	{Program: &Program{Number: 2, Name: "n", Code: "return '<&>\u2028'", Forget: []uint64{1}}},
	{
		Run: &Run{
			ID:      1,
			Program: 2,
			Args:    json.RawMessage(`{"a":1}`),
			Context: js.Context{ToolName: "t", CallID: "c", ConversationID: "v", UserID: "u"},
			Network: true,
			Memory:  3,
			Output:  4,
		},
	},
	{Run: &Run{ID: 1 << 63, Args: json.RawMessage(`{}`), Files: true, CompileOnly: true}},
	{Program: &Program{Number: 3, Kind: DurableTool, Name: "n", Code: "return 1"}},
	{Run: &Run{ID: 1, Args: json.RawMessage(`[1]`), Durable: &js.Durable{ID: "p~1", NowMS: 5, Zone: "Europe/Vienna"}}},
	{Run: &Run{ID: 1, Args: json.RawMessage(`{}`), Durable: &js.Durable{Tool: true}, CompileOnly: true}},
	{Answer: &Answer{Ask: 1, Value: json.RawMessage(`null`)}},
	{Answer: &Answer{Ask: 2, Value: json.RawMessage(`{"a":1}`), Body: []byte("\x00\xff not JSON")}},
	{Answer: &Answer{Ask: 3, Value: json.RawMessage(`{}`), Body: []byte{}}},
	{Answer: &Answer{Ask: 1, Error: &Failure{Kind: tool.RateLimited, Message: "later"}}},
	{Hello: &Hello{Error: "no"}},
	{Ask: &Ask{Run: 1, ID: 2, Op: js.OpFile, Args: json.RawMessage(`[]`)}},
	{Ask: &Ask{Run: 1, ID: 3, Op: js.OpFile, Args: json.RawMessage(`{"do":"write"}`), Body: []byte("\x00\xff not JSON")}},
	{Ask: &Ask{Run: 1, ID: 4, Op: js.OpFetch, Args: json.RawMessage(`{}`), Body: bytes.Repeat([]byte("much"), 100_000)}},
	{Done: &Done{Run: 1, Value: json.RawMessage(`"v"`)}},
}

func TestFramesPass(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	w := NewWriter(&stream)
	for _, f := range every {
		if err := w.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&stream)
	for _, want := range every {
		got, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("at the end Read = %v, want EOF", err)
	}
}

func framed(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string][]byte{
		"empty":                              framed(""),
		"no message":                         framed("x"),
		"no JSON":                            framed("d\x01\x01hello"),
		"no value":                           framed("d\x01\x01"),
		"half a value before a body":         framed("a\x01\x03\x09{}"),
		"no JSON before a body":              framed("a\x01\x03\x02{]body"),
		"a body of a done":                   framed("d\x01\x03\x02{}body"),
		"an ask whose arguments go beyond":   framed("b\x01\x01\x04call\x09{}"),
		"an ask whose arguments are no JSON": framed("b\x01\x01\x04call\x02{]body"),
		"an ask of a body without a length":  framed("b\x01\x01\x04call"),
		"a body of a plain ask":              framed("k\x01\x01\x04call\x02{}body"),
		"two values":                         framed("d\x01\x01{}{}"),
		"neither":                            framed("d\x01\x03"),
		"more than it holds":                 framed("d\x01\x00{}"),
		"less than it holds":                 framed("d\x01"),
		"a number too large":                 framed("d" + strings.Repeat("\xff", 10) + "\x01\x00"),
		"a size too large":                   framed("s" + strings.Repeat("\xff", 9) + "\x01\x01"),
		"a text without end":                 framed("h\x05half"),
		"a text of all bytes":                framed("h" + strings.Repeat("\xff", 9) + "\x01"),
		"half a run":                         framed("r\x00\x01\x01\x01\x01\x00\x00\x00"),
		"half a length":                      {0, 0},
		"half a body":                        framed("h\x00")[:5],
		"half of much":                       append(framed("d\x01\x01\"" + strings.Repeat("x", 100_000) + "\"")[:90_000], 'x'),
		"only a promise":                     {0, 0, 1, 0},
		"very deep":                          framed("d\x01\x01" + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)),
	} {
		if f, err := NewReader(bytes.NewReader(stream)).Read(); err == nil || err == io.EOF {
			t.Errorf("%s: Read = %+v, %v, want an error", name, f, err)
		}
	}
}

func TestReadKeepsTheCap(t *testing.T) {
	t.Parallel()
	for _, size := range []uint32{Max + 1, 1<<32 - 1} {
		if _, err := NewReader(bytes.NewReader(binary.BigEndian.AppendUint32(nil, size))).Read(); !errors.Is(err, ErrTooLarge) {
			t.Errorf("Read of %d bytes = %v, want ErrTooLarge before any is read", size, err)
		}
	}
}

func TestWriteKeepsTheCap(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	w := NewWriter(&stream)
	err := w.Write(Frame{Program: &Program{Code: strings.Repeat("x", Max)}})
	if !errors.Is(err, ErrTooLarge) || stream.Len() != 0 {
		t.Errorf("Write = %v with %d bytes out, want ErrTooLarge and none", err, stream.Len())
	}
	if err := w.Write(Frame{Answer: &Answer{Value: json.RawMessage(`{}`), Body: make([]byte, Max)}}); !errors.Is(err, ErrTooLarge) ||
		stream.Len() != 0 {
		t.Errorf("Write of a body = %v with %d bytes out, want ErrTooLarge and none", err, stream.Len())
	}
	if err := w.Write(Frame{}); err == nil || stream.Len() != 0 {
		t.Error("an empty frame was written")
	}
	if err := w.Write(Frame{Done: &Done{Value: json.RawMessage("{")}}); !errors.Is(err, ErrMalformed) || stream.Len() != 0 {
		t.Errorf("Write of half a value = %v with %d bytes out, want ErrMalformed and none", err, stream.Len())
	}
}

// A length costs the reader little until the bytes have arrived.
func TestLengthAloneTakesNoMemory(t *testing.T) { // counts allocations: not in parallel
	stream := binary.BigEndian.AppendUint32(nil, Max)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const times = 10
	for range times {
		if _, err := NewReader(bytes.NewReader(stream)).Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) / times; taken > 1<<20 {
		t.Errorf("a lone length took %d bytes", taken)
	}
}

func FuzzRead(f *testing.F) {
	for _, frame := range every {
		var b bytes.Buffer
		if err := NewWriter(&b).Write(frame); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte{0, 0, 0, 2, '{', '}', 0xff})
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := NewReader(bytes.NewReader(stream))
		for {
			frame, err := r.Read()
			if err != nil {
				return
			}
			if frame.check() != nil {
				t.Fatalf("Read let %+v pass", frame)
			}
			if err := NewWriter(io.Discard).Write(frame); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
	})
}

// Bytes that are not UTF-8 are not returned as text.
func TestTextIsUTF8(t *testing.T) {
	t.Parallel()
	f, err := NewReader(bytes.NewReader(framed("h\x04a\xff\xfeb"))).Read()
	if err != nil || f.Hello == nil || f.Hello.Error != "a\uFFFDb" {
		t.Errorf("Read = %+v, %v, want a replacement", f.Hello, err)
	}
}
