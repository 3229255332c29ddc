package upstreamtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// raw is a server that writes JSON-RPC itself, so that it can write it wrong.
type raw struct {
	mode  string
	out   *bufio.Writer
	calls int
	asked *request // the call that made a request to the client
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor string `json:"cursor"`
	} `json:"params"`
}

func (s *raw) serve() {
	s.out = bufio.NewWriterSize(os.Stdout, 1<<16)
	in := bufio.NewReader(os.Stdin)
	switch s.mode {
	case "crash":
		exit(7)
	case "stays":
		s.stay()
	case "garbage":
		s.line("npm notice: a new version is here")
		s.line(`{"jsonrpc": "2.0", "id": `)
		s.line("\xff\xfe")
	}
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		switch {
		case json.Unmarshal(text, &r) != nil || r.ID == nil:
		case r.Method == "" && s.asked != nil: // the client's answer
			quoted, _ := json.Marshal(string(text))
			s.result(s.asked, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
		default:
			s.answer(&r)
		}
	}
}

// stay starts a process that leaves the server's group, prints both process ids, and
// ignores the end of its input.
func (s *raw) stay() {
	cmd := exec.CommandContext(context.Background(), "sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		exit(1)
	}
	s.line(fmt.Sprintf("%d %d", os.Getpid(), cmd.Process.Pid))
	select {}
}

func (s *raw) line(text string) {
	fmt.Fprintln(s.out, text)
	_ = s.out.Flush()
}

func (s *raw) result(r *request, result string) {
	s.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result))
}

func (s *raw) answer(r *request) {
	switch r.Method {
	case "initialize":
		if s.mode == "mute" {
			return
		}
		s.result(r, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}`)
	case "tools/list":
		s.list(r)
	case "tools/call":
		s.calls++
		s.call(r)
	default:
		s.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, r.ID))
	}
}

func named(name, schema string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, schema)
}

const object = `{"type":"object"}`

func (s *raw) list(r *request) {
	look := named("look", object)
	switch s.mode {
	case "pages":
		s.result(r, fmt.Sprintf(`{"tools":[%s],"nextCursor":%q}`, look, r.Params.Cursor+"x"))
		return
	case "many":
		tools := make([]string, 3000)
		for i := range tools {
			tools[i] = named(fmt.Sprint("t", i), object)
		}
		look = strings.Join(tools, ",")
	case "schemas":
		look = strings.Join([]string{
			look, named("file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`),
			named("web", `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`),
			named("cycle", `{"type":"object","allOf":[{"$ref":"#"}]}`),
			named("typo", `{"type":"object","requird":["a"]}`),
			named("list", `[]`), named("wrong name!", object), named("hid\u202eden", object),
			named("unseen", `{"type":"object","properties":{"a\u200b":{}}}`),
			`{"name":"bare"}`, `{"name":"numbers","description":7}`, `{"name":7,"inputSchema":{}}`, `"text"`,
			`{"name":"later","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}}`,
			`{"name":"out","inputSchema":{"type":"object"},"outputSchema":{"type":"object","$ref":"file:///etc/passwd"}}`, `null`,
			named("long", `{"type":"object","description":"`+strings.Repeat("x", 200<<10)+`"}`),
		}, ",")
	}
	s.result(r, `{"tools":[`+look+`]}`)
}

func (s *raw) call(r *request) {
	const fine = `{"content":[{"type":"text","text":"fine"}]}`
	switch s.mode {
	case "hang":
	case "huge":
		if s.calls > 1 {
			s.result(r, fine)
			return
		}
		fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, r.ID)
		block := strings.Repeat("x", 1<<20)
		for range 100 {
			_, _ = io.WriteString(s.out, block)
		}
		s.line(`"}]}}`)
	case "huge last":
		fmt.Fprint(s.out, `{"result":{"content":[{"type":"text","text":"`, strings.Repeat("x", 8<<20))
		s.line(fmt.Sprintf(`"}]},"jsonrpc":"2.0","id":%s}`, r.ID))
	case "closes":
		exit(0)
	case "flood":
		for range 50_000 {
			fmt.Fprintln(s.out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}`)
			fmt.Fprintln(s.out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}`)
		}
		_ = s.out.Flush()
	case "strange":
		answers := []string{
			`{"content":[{"type":"hologram"}]}`, `[]`, `{"content":"x"}`, `{"content":[{"type":"text","text":"` + "\xff" + `"}]}`,
			`{"content":[],"resultType":"input_required","inputRequests":{}}`,
		}
		s.result(r, answers[(s.calls-1)%len(answers)])
	case "asks":
		s.asked = r
		method := []string{"roots/list", "sampling/createMessage", "elicitation/create", "no/such"}[(s.calls-1)%4]
		s.line(fmt.Sprintf(
			`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":{"messages":[],"maxTokens":1,"message":"?","requestedSchema":{"type":"object"}}}`,
			s.calls, method,
		))
	case "refuses":
		s.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"word is \u202emissing"}}`, r.ID))
	default:
		s.result(r, fine)
	}
}
