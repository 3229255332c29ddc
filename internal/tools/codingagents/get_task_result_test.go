package codingagents

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// stored saves a session as run_coding_task does.
func (w *world) stored(at time.Time, text string) *kept {
	w.t.Helper()
	s := session{
		provider: &provider{id: "codex"},
		task:     &task{prompt: strings.Repeat("päng ", 30), model: "m", cwd: "sub"},
		began:    at,
		duration: 1500 * time.Millisecond,
		state:    completed,
	}
	s.text.tell = func(string) {}
	s.text.show(text)
	k := s.kept()
	if err := k.store(w.t.Context(), &w.call); err != nil {
		w.t.Fatal(err)
	}
	return k
}

var began = time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.FixedZone("", 3600))

func TestGetTaskResult(t *testing.T) {
	w := newWorld(t, "")
	k := w.stored(began, "done <&>\n")
	w.play(
		"get_task_result",
		tooltest.Case{
			Name: "whole", Args: `{"result_id":"` + k.ID + `"}`,
			Want: `{"id":"` + k.ID + `","provider":"codex","prompt":"` + strings.Repeat("päng ", 30) +
				`","state":"completed","success":true,"durationMs":1500,"costUsd":null,` +
				`"exitCode":0,"createdAt":"2026-03-04T04:06:07Z","cwd":"sub","model":"m","output":"done <&>\n","error":null,"mode":"pty","truncated":false}`,
		},
		tooltest.Case{
			Name:    "unknown",
			Args:    `{"result_id":"000000000000-000000000000"}`,
			Fails:   tool.ValidationError,
			Message: "list_task_results",
		},
		tooltest.Case{Name: "hostile", Args: `{"result_id":"../*.>"}`, Fails: tool.ValidationError, Message: "no result"},
		tooltest.Case{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "result_id"},
		tooltest.Case{Name: "number", Args: `{"result_id":5}`, Fails: tool.ValidationError},
	)
	// A summary of another collection, or a result of another person, is no result.
	other := *w
	other.call.Store, other.call.User = w.kept.For("acme", "u2"), "u2"
	other.play("get_task_result", tooltest.Case{Name: "of somebody else", Args: `{"result_id":"` + k.ID + `"}`, Fails: tool.ValidationError})
	if l := other.list(`{}`); l.Total != 0 {
		t.Errorf("somebody else sees %+v", l)
	}
	if err := w.call.Store.Transaction(t.Context(), func(s tool.Store) error {
		_, err := s.Update(t.Context(), results.Shape(), k.ID, 0, json.RawMessage(`{"output":[]}`))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.play("get_task_result", tooltest.Case{Name: "unreadable", Args: `{"result_id":"` + k.ID + `"}`, Fails: tool.Internal})
}

// TestOldResults: a session is found for 30 days, and removed when a later one is stored.
func TestOldResults(t *testing.T) {
	w := newWorld(t, "")
	k := w.stored(began, "old")
	now := w.call.Clock.Now()
	w.call.Clock = tooltest.Clock{T: now.Add(keep - time.Minute)}
	if got := w.get(k.ID); got.Output != "old" || w.list(`{}`).Total != 1 {
		t.Errorf("a session of almost 30 days: %+v", got)
	}
	w.call.Clock = tooltest.Clock{T: now.Add(keep + time.Minute)}
	w.play("get_task_result", tooltest.Case{
		Name:    "old",
		Args:    `{"result_id":"` + k.ID + `"}`,
		Fails:   tool.ValidationError,
		Message: "last 30 days",
	})
	if l := w.list(`{}`); l.Total != 0 {
		t.Errorf("an old session is listed: %+v", l)
	}
	w.stored(began, "new")
	for _, shape := range []*tool.Shape{results.Shape(), summaries.Shape()} {
		page, err := w.call.Store.Query(t.Context(), shape, tool.Query{})
		if err != nil || len(page.Rows) != 1 || page.Rows[0].ID == k.ID {
			t.Errorf("%s holds %d documents, %v, want the new one", shape.Name, len(page.Rows), err)
		}
	}
}

// A text that is much longer as JSON is kept up to the limit.
func TestLongResult(t *testing.T) {
	w := newWorld(t, "")
	k := w.stored(began, strings.Repeat(`"\`+"\u2028", 300_000))
	w.play("get_task_result", tooltest.Case{Name: "long", Args: `{"result_id":"` + k.ID + `"}`, Check: func(t *testing.T, res tool.Result) {
		var got kept
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Output) < maxKept/2 || !strings.HasSuffix(got.Output, "\"\\\u2028") || !got.Truncated || !res.Truncated {
			t.Errorf("%d bytes are kept, truncated %v", len(got.Output), got.Truncated)
		}
		var shown kept
		if err := json.Unmarshal([]byte(res.Text), &shown); err != nil || len([]rune(shown.Output)) != maxShown || shown.ID != k.ID ||
			!shown.Truncated {
			t.Errorf("a model is shown %d bytes, %v", len(res.Text), err)
		}
	}})
}
