package codingagents

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// summary is what a list shows of a session.
type summary struct {
	ID         string   `json:"id"`
	Provider   string   `json:"provider"`
	Prompt     string   `json:"prompt"`
	State      string   `json:"state" enum:"completed,failed,timed_out,cancelled,budget_exceeded,output_exceeded"`
	Success    bool     `json:"success"`
	DurationMS int64    `json:"durationMs"`
	CostUSD    *float64 `json:"costUsd" doc:"Null if the agent did not tell."`
	ExitCode   int      `json:"exitCode" doc:"-1 if it was ended before it exited."`
	CreatedAt  string   `json:"createdAt"`
}

// kept is a session as it is kept.
type kept struct {
	summary
	Cwd    string  `json:"cwd" doc:"Directory of the workspace; . is its top."`
	Model  *string `json:"model" doc:"Null if the agent chose."`
	Output string  `json:"output" doc:"The end of what the agent wrote, as plain text."`
	Error  *string `json:"error" doc:"Why it did not complete."`
	Mode   string  `json:"mode"`

	Truncated bool `json:"truncated" doc:"Whether more was written than is kept."`
}

// promptPreview is what a list shows of a prompt, in characters.
const promptPreview = 100

// maxDocument is the most that can be kept, as JSON.
const maxDocument = 2 << 20

// kept is what is kept of the session.
func (s *session) kept() *kept {
	k := &kept{
		summary: summary{
			ID: newID(s.began), Provider: s.provider.id, Prompt: s.task.prompt, State: s.state, Success: s.state == completed,
			DurationMS: s.duration.Milliseconds(), CostUSD: s.text.reader.cost, ExitCode: s.exitCode,
			CreatedAt: s.began.UTC().Format(time.RFC3339),
		},
		Cwd: ".", Output: s.text.String(), Mode: "pty",
	}
	if s.task.cwd != "" {
		k.Cwd = s.task.cwd
	}
	if s.task.model != "" {
		k.Model = &s.task.model
	}
	if s.why != "" {
		k.Error = &s.why
	}
	k.Truncated = int64(len(k.Output)) < s.text.total
	return k
}

// newID returns an id such that those of later sessions sort behind it.
func newID(at time.Time) string {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it never fails
	return fmt.Sprintf("%012x-%s", max(0, at.UnixMilli()), hex.EncodeToString(random))
}

// store keeps a session, also where its call is over. The summary comes last: what
// is listed can be had.
func (k *kept) store(ctx context.Context, docs tool.Documents) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	doc, err := encode(k)
	for err == nil && len(doc) > maxDocument { // quotes and the like are longer as JSON
		k.Output, k.Truncated = tail(k.Output, len(k.Output)-(len(doc)-maxDocument)), true
		doc, err = encode(k)
	}
	if err != nil {
		return err
	}
	if err := docs.Put(ctx, results, k.ID, doc, keep); err != nil {
		return err
	}
	short := k.summary
	short.Prompt = firstChars(short.Prompt, promptPreview)
	if doc, err = encode(short); err != nil {
		return err
	}
	return docs.Put(ctx, summaries, k.ID, doc, keep)
}

// encode is JSON without the escapes that only a browser needs.
func encode(v any) (json.RawMessage, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(w.Bytes()), err
}
