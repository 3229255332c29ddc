package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipes returns a connection and the server's ends of it.
func pipes(t *testing.T) (c mcp.Connection, in *bufio.Reader, out *os.File) {
	t.Helper()
	theirIn, ourIn, err1 := os.Pipe()
	ourOut, theirOut, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	c, err := (&Pipe{In: ourIn, Out: ourOut, Longest: 1000, Odd: func(string) {}}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); theirIn.Close(); theirOut.Close() })
	return c, bufio.NewReader(theirIn), theirOut
}

func request(t *testing.T, n float64, method, params string) *jsonrpc.Request {
	t.Helper()
	id, err := jsonrpc.MakeID(n)
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: []byte(params)}
}

// TestPipe: of a server's messages, awaited answers pass once and used notifications pass;
// an answer to an unknown call does not.
func TestPipe(t *testing.T) {
	t.Parallel()
	c, in, out := pipes(t)
	if err := c.Write(t.Context(), request(t, 1, "tools/call", `{}`)); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, `"tools/call"`) {
		t.Errorf("the server reads %q, %v", line, err)
	}
	for _, line := range []string{
		"hello", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`,
		`{"jsonrpc":"2.0","id":2,"result":"not asked"}`, `{"jsonrpc":"2.0","id":1,"result":"first"}`,
		`{"jsonrpc":"2.0","id":1,"result":"second"}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","id":9,"method":"ping"}`,
	} {
		fmt.Fprintln(out, line)
	}
	var got []string
	for range 3 {
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			got = append(got, string(msg.Result))
		case *jsonrpc.Request:
			got = append(got, msg.Method)
		}
	}
	if want := `"first" notifications/tools/list_changed ping`; strings.Join(got, " ") != want {
		t.Errorf("came through %s, want %s", strings.Join(got, " "), want)
	}
	out.Close()
	if _, err := c.Read(t.Context()); !errors.Is(err, ErrBroken) {
		t.Errorf("after the end comes %v", err)
	}
}

// TestServerThatDoesNotRead: a writer waits no longer than its own context, and a writer
// that finds the pipe full does not wait for those before it.
func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	c, in, _ := pipes(t)
	big := request(t, 1, "tools/call", `"`+strings.Repeat("x", 1<<20)+`"`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, _ = in.Read(make([]byte, 1)) // it is being written
		cancel()
	}()
	if err := c.Write(ctx, big); !errors.Is(err, ErrBroken) { // half a message was written
		t.Errorf("writing to a full pipe ended with %v", err)
	}
	if err := c.Write(t.Context(), request(t, 2, "ping", `{}`)); err == nil {
		t.Error("a broken connection took a message")
	}
	if _, err := c.Read(t.Context()); !errors.Is(err, ErrBroken) {
		t.Errorf("reading from it ended with %v", err)
	}
}

// TestGarbageWithoutEnd: a server that sends only garbage is disconnected.
func TestGarbageWithoutEnd(t *testing.T) {
	t.Parallel()
	c, _, out := pipes(t)
	go func() {
		for range 2 * maxGarbage {
			if _, err := fmt.Fprintln(out, "garbage"); err != nil {
				return
			}
		}
	}()
	if _, err := c.Read(t.Context()); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "no messages") {
		t.Errorf("garbage ended with %v", err)
	}
}
