package mcpclient

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/server/mcp/published"
)

// Watch checks each message that a server sends to the clients of a test against the
// published schema of its version, and fails the test at its end.
type Watch struct {
	mu       sync.Mutex
	problems []string
	// version and methods are those of a connection that has a state.
	version string
	methods map[string]string
}

// NewWatch returns a watch that reports to t.
func NewWatch(t *testing.T) *Watch {
	w := &Watch{methods: map[string]string{}}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, problem := range w.problems {
			t.Error(problem)
		}
	})
	return w
}

// request is the part of a message that decides how the answer to it is checked.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Meta            struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

func (w *Watch) check(version, method string, message []byte) {
	if !slices.Contains(Versions, version) {
		return // the server refuses it, in the form of no version
	}
	if err := published.Check(version, method, message); err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.problems = append(w.problems,
			"version "+version+", "+method+": the server sent "+string(message[:min(len(message), 2000)])+"\n"+err.Error())
	}
}

// ofHTTP returns the body of an answer, which is checked while it is read. Sent is the
// body of its request.
func (w *Watch) ofHTTP(head http.Header, sent []byte, resp *http.Response) io.ReadCloser {
	var req request
	if json.Unmarshal(sent, &req) != nil || req.Method == "" {
		return resp.Body
	}
	version := head.Get("Mcp-Protocol-Version")
	if req.Method == "initialize" {
		version = req.Params.ProtocolVersion
	}
	switch kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); kind {
	case "application/json":
		return &watched{ReadCloser: resp.Body, each: func(text []byte, end bool) []byte {
			if end && len(text) > 0 {
				w.check(version, req.Method, text)
			}
			return text
		}}
	case "text/event-stream":
		return &watched{ReadCloser: resp.Body, each: eachLine(func(line []byte) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
				w.check(version, req.Method, data)
			}
		})}
	}
	return resp.Body
}

// Lines returns the two sides of a connection on which each line is a message.
func (w *Watch) Lines(in io.ReadCloser, out io.WriteCloser) (io.ReadCloser, io.WriteCloser) {
	read := &watched{ReadCloser: in, each: eachLine(func(line []byte) {
		w.mu.Lock()
		var answer request
		_ = json.Unmarshal(line, &answer)
		version, method := w.version, w.methods[string(answer.ID)]
		w.mu.Unlock()
		w.check(version, method, line)
	})}
	return read, &noted{WriteCloser: out, each: eachLine(func(line []byte) {
		var req request
		if json.Unmarshal(line, &req) != nil {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.methods[string(req.ID)] = req.Method; req.Method == "initialize" {
			w.version = req.Params.ProtocolVersion
		} else if req.Params.Meta.Version != "" {
			w.version = req.Params.Meta.Version
		}
	})}
}

// eachLine calls do with each line of a text, and returns what follows the last.
func eachLine(do func(line []byte)) func(text []byte, end bool) []byte {
	return func(text []byte, _ bool) []byte {
		for {
			line, rest, ended := bytes.Cut(text, []byte{'\n'})
			if !ended {
				return text
			}
			if len(bytes.TrimSpace(line)) > 0 {
				do(line)
			}
			text = rest
		}
	}
}

// watched passes on what is read to each, which returns the part that it needs again.
type watched struct {
	io.ReadCloser

	each func(text []byte, end bool) []byte
	text []byte
}

// Read implements [io.Reader].
func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	w.text = w.each(append(w.text, b[:n]...), err == io.EOF)
	if err != nil {
		w.text = nil
	}
	return n, err
}

// noted is watched for a writer.
type noted struct {
	io.WriteCloser

	each func(text []byte, end bool) []byte
	text []byte
}

// Write implements [io.Writer].
func (w *noted) Write(b []byte) (int, error) {
	w.text = w.each(append(w.text, b...), false)
	return w.WriteCloser.Write(b)
}
