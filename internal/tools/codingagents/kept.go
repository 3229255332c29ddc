package codingagents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// summary is a session's entry in a list.
type summary struct {
	ID         string   `json:"id"` // empty in the document of a kept session, whose own id it is
	Provider   string   `json:"provider"`
	Prompt     string   `json:"prompt"`
	State      string   `json:"state" enum:"completed,failed,timed_out,cancelled,budget_exceeded,output_exceeded"`
	Success    bool     `json:"success"`
	DurationMS int64    `json:"durationMs"`
	CostUSD    *float64 `json:"costUsd" doc:"Null if the agent did not tell."`
	ExitCode   int      `json:"exitCode" doc:"-1 if it was ended before it exited."`
	CreatedAt  string   `json:"createdAt"`
}

// kept is a session as it is stored.
type kept struct {
	summary
	Cwd    string  `json:"cwd" doc:"Directory of the workspace; . is its top."`
	Model  *string `json:"model" doc:"Null if the agent chose."`
	Output string  `json:"output" doc:"The end of what the agent wrote, as plain text."`
	Error  *string `json:"error" doc:"Why it did not complete."`
	Mode   string  `json:"mode"`

	Truncated bool `json:"truncated" doc:"Whether more was written than is kept."`
}

// promptPreview limits the prompt in a list, in characters.
const promptPreview = 100

// maxDocument limits a stored session, as JSON.
const maxDocument = 2 << 20

// kept returns the session in its stored form.
func (s *session) kept() *kept {
	k := &kept{
		summary: summary{
			Provider: s.provider.id, Prompt: s.task.prompt, State: s.state, Success: s.state == completed,
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

// store saves a session and sets its id, even if its call has ended or fails.
func (k *kept) store(ctx context.Context, call *tool.Call) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	doc, err := encode(k)
	for err == nil && len(doc) > maxDocument { // quotes and similar characters are longer as JSON
		k.Output, k.Truncated = textcut.Tail(k.Output, len(k.Output)-(len(doc)-maxDocument)), true
		doc, err = encode(k)
	}
	if err != nil {
		return err
	}
	short := k.summary
	short.Prompt = textcut.First(short.Prompt, promptPreview)
	return call.Store.Transaction(ctx, func(s tool.Store) error {
		if err := removeOld(ctx, s, call.Clock.Now()); err != nil {
			return err
		}
		r, err := results.Insert(ctx, s, *k)
		if err != nil {
			return err
		}
		k.ID, short.ID = r.ID, r.ID
		_, err = summaries.Insert(ctx, s, short)
		return err
	})
}

// oldAtOnce bounds the sessions that one transaction removes.
const oldAtOnce = 20

// removeOld removes sessions whose time is over.
func removeOld(ctx context.Context, s tool.Store, now time.Time) error {
	old, err := summaries.Query(ctx, s, tool.Query{
		Where: []tool.Condition{tool.Where(tool.FieldCreated, tool.Less, now.Add(-keep))}, Limit: oldAtOnce,
	})
	if err != nil {
		return err
	}
	for _, r := range old.List {
		err := s.Delete(ctx, results.Shape(), r.Value.ID, 0)
		if e, ok := errors.AsType[*tool.Error](err); err != nil && (!ok || e.Kind != tool.NotFound) {
			return err
		}
		if err := summaries.Delete(ctx, s, r); err != nil {
			return err
		}
	}
	return nil
}

// encode returns JSON without the escapes that only browsers need.
func encode(v any) (json.RawMessage, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(w.Bytes()), err
}
